import { formatDecimal, type Micro } from "../../../server/src/domain/money.ts";
import type { Hex } from "../../../server/src/domain/tokens.ts";
import type { ToolMap } from "../../../server/src/modules/index.ts";
import type { Asker } from "../intents.ts";
import type { Random } from "../random.ts";
import type { Sequences } from "../sequence-storm.ts";

const ONE_USDC = 1_000_000n;
const MOST_BOOKINGS = 3;
/** By which amounts beyond what is there are asked for. */
const TOO_MUCH = 5_000n * ONE_USDC;

const BY_BOOKING = new Set([
  "reserve_booking",
  "commit_booking",
  "confirm_booking",
  "confirm_flight",
  "settle_booking",
  "cancel_booking",
  "release_reservation",
]);

export interface Plan {
  random: Random;
  number: number;
}

/** Trips from their funding on: claims, bookings that are settled, cancelled or given back to their trip at any step, and what must be refused. */
export const lifecycles: Sequences<Plan> = {
  perRound: 60,
  workers: 12,
  findSubject({ tool, args, key }) {
    if (BY_BOOKING.has(tool))
      return `${String(args.bookingId)}${tool === "commit_booking" ? String(args.feeAmountUsdc) : ""}`;
    if (tool === "guest_claim_link") return `${String(args.codeNonce)} ${String(args.guestWallet)}`;
    return key;
  },
  plan: (random, number) => ({ random, number }),
  play: live,
};

const hex = (random: Random, bytes: number): Hex =>
  `0x${Array.from({ length: bytes }, () => random.between(0, 255).toString(16).padStart(2, "0")).join("")}`;

/** To the last micro-unit, so that no rounding hides. */
const amount = (random: Random, least: bigint, most: bigint): Micro =>
  least + BigInt(Math.floor(random.next() * Number(most - least + 1n)));

async function live(asker: Asker, { random, number }: Plan): Promise<void> {
  const budget = amount(random, 50n * ONE_USDC, 900n * ONE_USDC);
  const require2fa = random.chance(0.5);
  const asked = { budgetUsdc: formatDecimal(budget), require2fa, expiresInDays: random.between(1, 365) };
  const funded = await asker.ask("prefund_trip", asked, `prefund-${number}-${hex(random, 8)}`);
  if ("refused" in funded) return;
  const { result: trip } = funded;
  if (random.chance(0.6)) await claim(asker, random, trip);
  const count = random.between(1, MOST_BOOKINGS);
  for (let booked = 0; booked < count; booked += 1) {
    await book(asker, random, trip.tripId, budget / BigInt(count));
    if (random.chance(0.4)) {
      const fee = amount(random, 0n, ONE_USDC);
      const action = { tripId: trip.tripId, actionType: "search", feeMicroUsdc: fee.toString() } as const;
      await asker.ask("log_agent_action", action, `log-${number}-${hex(random, 8)}`);
    }
  }
}

async function claim(asker: Asker, random: Random, trip: ToolMap["prefund_trip"]["output"]): Promise<void> {
  const { guestLink, claimCode, codeNonce } = trip;
  const guests = [hex(random, 20), hex(random, 20)] as const;
  // A repeated answer does not hold what is shown once: then there is nothing to claim with.
  if (!guestLink.includes("#")) return;
  if (claimCode !== undefined && random.chance(0.3)) {
    const wrong = claimCode === "000000" ? "000001" : "000000";
    await asker.ask("guest_claim_link", { guestLink, codeNonce, claimCode: wrong, guestWallet: guests[0] });
  }
  const code = claimCode === undefined ? {} : { claimCode };
  for (const guestWallet of random.chance(0.3) ? guests : guests.slice(0, 1)) {
    await asker.ask("guest_claim_link", { guestLink, codeNonce, guestWallet, ...code });
  }
}

async function book(asker: Asker, random: Random, tripId: string, most: Micro): Promise<void> {
  const bookingId = hex(random, 32);
  const settle = () => asker.ask("settle_booking", { bookingId });
  // Money returned to the trip can pay for later bookings.
  const cancel = () => {
    const tool = random.chance(0.5) ? "cancel_booking" : "release_reservation";
    return asker.ask(tool, { bookingId, tripId, reason: "buyer_cancel" });
  };
  const reserved = amount(random, ONE_USDC, most);
  const wanted = random.chance(0.1) ? reserved + TOO_MUCH : reserved;
  if (random.chance(0.1)) await settle();
  const reservation = await asker.ask("reserve_booking", { bookingId, tripId, upperBoundUsdc: formatDecimal(wanted) });
  if ("refused" in reservation) return;
  if (random.chance(0.1)) return void (await Promise.all([cancel(), cancel()]));
  if (random.chance(0.2)) return void (await cancel());
  if ("refused" in (await commit(asker, random, bookingId, reserved))) return void (await cancel());
  if (random.chance(0.2)) return void (await cancel());
  await asker.ask("confirm_flight", { bookingId, ticketOrderHash: hex(random, 32) });
  const end = random.next();
  if (end < 0.1) return;
  // Only one of the two can come true.
  if (end < 0.3) await Promise.all([settle(), cancel()]);
  else if (end < 0.45) await cancel();
  else await settle();
  if (random.chance(0.3)) await (random.chance(0.5) ? settle() : cancel());
}

async function commit(asker: Asker, random: Random, bookingId: string, reserved: Micro) {
  // A separate vendor, so that the chain shows the payment of this booking.
  const shared = { bookingId, vendorAddress: hex(random, 20), itineraryHash: hex(random, 32) };
  if (random.chance(0.5)) {
    const cost = amount(random, 1n, (reserved * 9n) / 10n);
    const markupBps = random.between(0, 800);
    return await asker.ask("confirm_booking", { ...shared, costMicroUsdc: cost.toString(), markupBps });
  }
  const cost = amount(random, 1n, reserved);
  const fee = random.chance(0.1) ? TOO_MUCH : amount(random, 0n, reserved - cost);
  const args = { ...shared, vendorAmountUsdc: formatDecimal(cost), feeAmountUsdc: formatDecimal(fee) };
  return await asker.ask("commit_booking", args);
}
