import type { Environment } from "../../ports/identity.ts";

declare module "../../kernel/tool.ts" {
  interface Ports {
    guestMailing: GuestMailing;
  }
}

/** Which mails to guests leave the house. What does not is kept: the buyer reads it with the trip. */
export interface GuestMailing {
  /** An environment whose mails are all kept: the sandbox, where the same service works for real guests. */
  kept: Environment | undefined;
  mostPerTenantAndDay: number;
  mostPerRecipientAndDay: number;
}

export function openGuestMailing(settings: {
  networkMode: Environment;
  mailsPerTenantDay: number;
  mailsPerRecipientDay: number;
}): GuestMailing {
  return {
    kept: settings.networkMode === "production" ? "sandbox" : undefined,
    mostPerTenantAndDay: settings.mailsPerTenantDay,
    mostPerRecipientAndDay: settings.mailsPerRecipientDay,
  };
}
