import { isIP } from "node:net";
import { defineJob } from "../../kernel/contracts/job.ts";
import { codeMailer } from "./code-mail.ts";
import { defineModule } from "./context.ts";
import { KeptPasskeys } from "./kept-passkeys.ts";
import { KeptSignIn } from "./kept-sign-in.ts";
import * as signIn from "./migrations/0152-sign-in.ts";
import * as passkeys from "./migrations/0171-passkeys.ts";
import { sessionRoutes } from "./routes.ts";
import { SignInLinks } from "./sign-in-links.ts";
import { createSignIns } from "./store.ts";
import { createPasskeyRows } from "./store-passkeys.ts";

declare module "../../kernel/contracts/parts.ts" {
  interface ModuleParts {
    readonly "sign-in.signIn": KeptSignIn;
    readonly "sign-in.signInLinks": SignInLinks;
    /** Undefined: the application host has no name, which browsers need for passkeys. */
    readonly "sign-in.passkeys": KeptPasskeys | undefined;
  }
}

const PRUNE_MILLISECONDS = 600_000;

/** People's sessions in browsers: sign-in by mailed codes and by links, without passwords. */
export const signInModule = defineModule({
  name: "sign-in",
  routes: sessionRoutes,
  migrations: { "0152-sign-in": signIn, "0171-passkeys": passkeys },
  stores: ({ db, clock }) => ({ signIns: createSignIns(db, clock), passkeyRows: createPasskeyRows(db, clock) }),
  personRecords: () => ({
    tables: {
      notSearched: {
        sign_in_session: "it ends with the person, and is deleted within days of its end",
        passkey: "it ends with the person, who named it",
        sign_in_link: "it ends with the person, and is deleted within days of its end",
      },
    },
  }),
  parts: {
    passkeys: ({ stores, signIn: own, clock, urls }) => {
      const { hostname } = new URL(urls.app);
      const hasName = isIP(hostname.replace(/^\[|\]$/g, "")) === 0;
      return hasName
        ? new KeptPasskeys({ passkeyRows: stores.passkeyRows, signIn: own, clock, appUrl: urls.app })
        : undefined;
    },
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
