import type { z } from "zod";
import type { Caller } from "../../kernel/contracts/tool.ts";
import { describeTravelers } from "../orders/index.ts";
import type { TravelerProfile } from "../travelers/index.ts";
import type { Ports } from "./context.ts";
import { findRecord } from "./find-own-order.ts";
import type { MessageAnswer } from "./replan-parts.ts";

/** Somebody whom the disruption concerns, and who is written to: nobody else is. */
export interface Addressee {
  userId: string;
  profile: TravelerProfile | undefined;
  /** As the caller may see them. */
  traveler: z.input<typeof MessageAnswer>["traveler"];
}

/** Empty, with the reason, if there is nobody here to write to. */
export interface Addressees {
  readers: readonly Addressee[];
  nobody: string | null;
}

type AddresseePorts = Pick<Ports, "stores" | "travelers">;

const NOT_THESE = "Nobody was written to";
const NO_PROFILE = `${NOT_THESE}: no traveler of the order has a profile here. Pass the text on to them yourself.`;
const CANCELLED = `${NOT_THESE}, as the order with this pnr is cancelled. Call again without pnr for another booking.`;
export const OTHER_LEG = `${NOT_THESE}, as the order with this pnr is not for this leg. Check origin, destination and pnr.`;

/** The travelers of the order with this reference; without such an order, the caller's own traveler. */
export async function findAddressees(
  pnr: string | undefined,
  { stores, travelers: profiles }: AddresseePorts,
  caller: Caller,
): Promise<Addressees> {
  const { tenantId, environment, travelerId, scopes } = caller;
  const record = await findRecord(pnr, { stores }, caller);
  if (record === undefined) {
    const profile = await profiles.get(tenantId, travelerId, environment);
    return { readers: [{ userId: travelerId, profile, traveler: null }], nobody: null };
  }
  if (record.status === "cancelled") return { readers: [], nobody: CANCELLED };
  const booked = (await stores.bookings.get(record.bookingId))?.travelers ?? [];
  const found = await Promise.all(
    booked.map(async (one) => {
      if (one.userId === undefined) return [];
      const profile = await profiles.get(tenantId, one.userId, environment);
      const [traveler = null] = describeTravelers([one], scopes);
      return profile === undefined ? [] : [{ userId: one.userId, profile, traveler }];
    }),
  );
  const readers = [...new Map(found.flat().map((reader) => [reader.userId, reader])).values()];
  return { readers, nobody: readers.length === 0 ? NO_PROFILE : null };
}
