import type { Delivery } from "../../src/modules/outbox/delivery.ts";

/** Everything goes out. */
export const delivery: Delivery = {
  findSandboxCarrier: async () => undefined,
  canMail: async () => false,
  carriers: new Map(),
  kept: undefined,
  mostPerTenantAndDay: 100,
  mostPerRecipientAndDay: 100,
};
