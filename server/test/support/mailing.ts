import type { Mailing } from "../../src/modules/outbox/mailing.ts";

/** Everything goes out. */
export const mailing: Mailing = {
  carriers: new Map(),
  kept: undefined,
  mostPerTenantAndDay: 100,
  mostPerRecipientAndDay: 100,
};
