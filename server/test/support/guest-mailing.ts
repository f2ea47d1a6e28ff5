import type { GuestMailing } from "../../src/modules/escrow/guest-mailing.ts";

/** Everything goes out. */
export const guestMailing: GuestMailing = { kept: undefined, mostPerTenantAndDay: 100, mostPerRecipientAndDay: 100 };
