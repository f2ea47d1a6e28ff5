import type { Environment } from "../../ports/identity.ts";
import type { Mailer } from "../../ports/mailer.ts";
import { type Carriers, openCarriers } from "./carriers/index.ts";

declare module "../../kernel/contracts/tool.ts" {
  interface ModulePorts {
    "outbox.mailing": Mailing;
  }
}

/** Which messages leave the house, and how. What does not leave is kept: the one who asked for it sees it. */
export interface Mailing {
  carriers: Carriers;
  /** An environment whose messages are all kept: the sandbox, where the same service works for real people. */
  kept: Environment | undefined;
  mostPerTenantAndDay: number;
  mostPerRecipientAndDay: number;
}

export function openMailing({
  settings,
  mailer,
}: {
  settings: { networkMode: Environment; mailsPerTenantDay: number; mailsPerRecipientDay: number };
  mailer: Mailer | undefined;
}): Mailing {
  return {
    carriers: openCarriers({ mailer }),
    kept: settings.networkMode === "production" ? "sandbox" : undefined,
    mostPerTenantAndDay: settings.mailsPerTenantDay,
    mostPerRecipientAndDay: settings.mailsPerRecipientDay,
  };
}
