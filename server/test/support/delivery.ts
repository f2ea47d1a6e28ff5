import type { Delivery } from "../../src/modules/outbox/delivery.ts";

/** Everything goes out. */
export const delivery: Delivery = {
  findSandboxCarrier: async () => undefined,
  async canMail() {
    return this.carriers.has("mail");
  },
  isOpen: true,
  carriers: new Map(),
  kept: undefined,
  mostPerTenantAndDay: 100,
  mostPerRecipientAndDay: 100,
};
