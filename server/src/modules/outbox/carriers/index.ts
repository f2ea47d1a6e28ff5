import type { CommonParts } from "../../../kernel/contracts/parts.ts";
import type { Carrier } from "./carrier.ts";
import { openMailCarrier } from "./mail.ts";

/** Every carrier by the name that stored messages use. A new one is a file beside this one and a line here. */
const CARRIERS = {
  mail: openMailCarrier,
} satisfies Record<string, (parts: CommonParts) => Carrier | undefined>;

export type CarrierName = keyof typeof CARRIERS;

/** The parts that the carriers are made from: those that any of them asks for. */
export type CarrierParts = (typeof CARRIERS)[CarrierName] extends (parts: infer Parts) => unknown ? Parts : never;

/** The configured carriers. */
export type Carriers = ReadonlyMap<string, Carrier>;

export function openCarriers(parts: CarrierParts): Carriers {
  const carriers = new Map<string, Carrier>();
  for (const [name, open] of Object.entries(CARRIERS)) {
    const carrier = open(parts);
    if (carrier !== undefined) carriers.set(name, carrier);
  }
  return carriers;
}
