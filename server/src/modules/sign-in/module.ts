import { defineJob } from "../../kernel/contracts/job.ts";
import { codeMailer } from "./code-mail.ts";
import { defineModule } from "./context.ts";
import { KeptSignIn } from "./kept-sign-in.ts";
import * as signIn from "./migrations/0152-sign-in.ts";
import { sessionRoutes } from "./routes.ts";
import { SignInLinks } from "./sign-in-links.ts";
import { createSignIns } from "./store.ts";

declare module "../../kernel/contracts/parts.ts" {
  interface ModuleParts {
    readonly "sign-in.signIn": KeptSignIn;
    readonly "sign-in.signInLinks": SignInLinks;
  }
}

const PRUNE_MILLISECONDS = 600_000;

/** People's sessions in browsers: sign-in by mailed codes and by links, without passwords. */
export const signInModule = defineModule({
  name: "sign-in",
  routes: sessionRoutes,
  migrations: { "0152-sign-in": signIn },
  stores: ({ db, clock }) => ({ signIns: createSignIns(db, clock) }),
  personRecords: () => ({
    tables: {
      notSearched: {
        sign_in_session: "it ends with the person, and is deleted within days of its end",
        sign_in_link: "it ends with the person, and is deleted within days of its end",
      },
    },
  }),
  parts: {
    signInLinks: ({ stores, clock }) => new SignInLinks({ signIns: stores.signIns, clock }),
    signIn: (parts) => {
      const { stores, identity, clock, log, vault, settings, delivery } = parts;
      return new KeptSignIn({
        signIns: stores.signIns,
        persons: stores.persons,
        identity,
        clock,
        log,
        networkMode: settings.networkMode,
        codeKey: vault.deriveKey("sign-in-codes"),
        mailCode: delivery.carriers.has("mail") ? codeMailer(parts) : undefined,
      });
    },
  },
  jobs: ({ stores }) => [
    defineJob({
      name: "prune-sign-ins",
      everyMilliseconds: PRUNE_MILLISECONDS,
      run: () => stores.signIns.prune(),
    }),
  ],
});
