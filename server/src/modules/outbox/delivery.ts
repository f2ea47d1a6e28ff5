import type { Environment } from "../../ports/identity.ts";
import type { Carrier } from "./carriers/carrier.ts";
import { type CarrierParts, type Carriers, openCarriers } from "./carriers/index.ts";
import { openMailCarrier } from "./carriers/mail.ts";
import type { SandboxMail } from "./sandbox-mail.ts";

declare module "../../kernel/contracts/tool.ts" {
  interface ModulePorts {
    "outbox.delivery": Delivery;
  }
}

/** Decides which messages are sent, and how. The others are kept, visible to the caller. */
export interface Delivery {
  carriers: Carriers;
  /** Whether messages may leave at all: by a carrier, or onto the page of a tenant's sandbox. */
  isOpen: boolean;
  /** Shows a tenant's sandbox mails on a page in place of sending them. Undefined: they are sent as any others. */
  findSandboxCarrier(owner: MessageOwner): Promise<Carrier | undefined>;
  /** Whether mails of this tenant go anywhere. */
  canMail(owner: MessageOwner): Promise<boolean>;
  /** The environment whose messages are all kept: the sandbox, where the same service runs for real people. */
  kept: Environment | undefined;
  mostPerTenantAndDay: number;
  mostPerRecipientAndDay: number;
}

interface MessageOwner {
  tenantId: string;
  environment: Environment;
}

type DeliveryParts = CarrierParts & {
  sandboxMail: SandboxMail;
  chatSimulator: object | undefined;
  settings: { networkMode: Environment; mailsPerTenantDay: number; mailsPerRecipientDay: number };
};

export function openDelivery(parts: DeliveryParts): Delivery {
  const { networkMode, mailsPerTenantDay, mailsPerRecipientDay } = parts.settings;
  const carriers = openCarriers(parts);
  const findSandboxCarrier = async (owner: MessageOwner) =>
    openMailCarrier({ mailer: await parts.sandboxMail.find(owner) });
  return {
    carriers,
    isOpen: carriers.size > 0 || parts.chatSimulator !== undefined,
    findSandboxCarrier,
    canMail: async (owner) => carriers.has("mail") || (await findSandboxCarrier(owner)) !== undefined,
    kept: networkMode === "production" ? "sandbox" : undefined,
    mostPerTenantAndDay: mailsPerTenantDay,
    mostPerRecipientAndDay: mailsPerRecipientDay,
  };
}

/** Aborts pending deliveries, which are sent again later. */
export function closeDelivery({ carriers }: Delivery): void {
  for (const carrier of carriers.values()) carrier.close();
}
