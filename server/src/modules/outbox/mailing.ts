import type { Environment } from "../../ports/identity.ts";

declare module "../../kernel/tool.ts" {
  interface ModulePorts {
    "outbox.mailing": Mailing;
  }
}

/** Which mails leave the house. What does not is kept: the one who asked for it sees it. */
export interface Mailing {
  /** An environment whose mails are all kept: the sandbox, where the same service works for real people. */
  kept: Environment | undefined;
  mostPerTenantAndDay: number;
  mostPerRecipientAndDay: number;
}

export function openMailing(settings: {
  networkMode: Environment;
  mailsPerTenantDay: number;
  mailsPerRecipientDay: number;
}): Mailing {
  return {
    kept: settings.networkMode === "production" ? "sandbox" : undefined,
    mostPerTenantAndDay: settings.mailsPerTenantDay,
    mostPerRecipientAndDay: settings.mailsPerRecipientDay,
  };
}
