import type { Environment } from "../../ports/identity.ts";
import type { Mailer } from "../../ports/mailer.ts";
import { type Carriers, openCarriers } from "./carriers/index.ts";

declare module "../../kernel/contracts/tool.ts" {
  interface ModulePorts {
    "outbox.mailing": Mailing;
  }
}

/** Decides which messages are sent, and how. The others are kept, visible to the caller. */
export interface Mailing {
  carriers: Carriers;
  /** The environment whose messages are all kept: the sandbox, where the same service runs for real people. */
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
