import type { Environment } from "../../ports/identity.ts";
import { type CarrierParts, type Carriers, openCarriers } from "./carriers/index.ts";

declare module "../../kernel/contracts/tool.ts" {
  interface ModulePorts {
    "outbox.delivery": Delivery;
  }
}

/** Decides which messages are sent, and how. The others are kept, visible to the caller. */
export interface Delivery {
  carriers: Carriers;
  /** The environment whose messages are all kept: the sandbox, where the same service runs for real people. */
  kept: Environment | undefined;
  mostPerTenantAndDay: number;
  mostPerRecipientAndDay: number;
}

type DeliveryParts = CarrierParts & {
  settings: { networkMode: Environment; mailsPerTenantDay: number; mailsPerRecipientDay: number };
};

export function openDelivery(parts: DeliveryParts): Delivery {
  const { networkMode, mailsPerTenantDay, mailsPerRecipientDay } = parts.settings;
  return {
    carriers: openCarriers(parts),
    kept: networkMode === "production" ? "sandbox" : undefined,
    mostPerTenantAndDay: mailsPerTenantDay,
    mostPerRecipientAndDay: mailsPerRecipientDay,
  };
}

/** Aborts pending deliveries, which are sent again later. */
export function closeDelivery({ carriers }: Delivery): void {
  for (const carrier of carriers.values()) carrier.close();
}
