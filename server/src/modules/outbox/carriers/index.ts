import type { Mailer } from "../../../ports/mailer.ts";
import type { Carrier } from "./carrier.ts";
import { createMailCarrier } from "./mail.ts";

/** The parts that carriers are made from. Undefined: not configured. */
interface CarrierParts {
  mailer: Mailer | undefined;
}

/** Every carrier by the name that stored messages use. A new one is a file beside this one and a line here. */
const CARRIERS = {
  mail: ({ mailer }) => (mailer === undefined ? undefined : createMailCarrier(mailer)),
} satisfies Record<string, (parts: CarrierParts) => Carrier | undefined>;

export type CarrierName = keyof typeof CARRIERS;

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
