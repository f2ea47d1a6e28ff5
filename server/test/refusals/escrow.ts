import { cancelArgs, commitArgs, freshHash, ticketArgs } from "../support/escrow.ts";
import { requireResult, stranger } from "../support/treasury.ts";
import { changed, once, type Provoke, type Refusals, type World } from "./refusal.ts";
import { blockedAddress } from "./treasury.ts";

const trip = once(({ escrow }) => escrow.prefund("300"));
/** Whatever is taken out of the wallet while it is empty was put into this one before. */
const reserved = once(async (world) => await world.escrow.bookingAfter(await trip(world), "reserve_booking"));
const committed = once(async (world) => await world.escrow.bookingAfter(await trip(world), "commit_booking"));
const ticketed = once(async (world) => await world.escrow.bookingAfter(await trip(world), "confirm_flight"));
const cancelled = once(async (world) => await world.escrow.bookingAfter(await trip(world), "cancel_booking"));
export const settled = once(async (world) => await world.escrow.bookingAfter(await trip(world), "settle_booking"));
const expired = once(async ({ escrow, service }) => {
  const made = requireResult(await service.call("prefund_trip", { budgetUsdc: "20" }));
  const tripId = String(made.tripId);
  const reserving = { tripId, upperBoundUsdc: "10" };
  const { bookingId } = requireResult(await service.call("reserve_booking", reserving));
  await service.sql("update trip set expires_at = now() - interval '1 second' where trip_id = $1", [tripId]);
  return { tripId, guestLink: made.guestLink, bookingId: escrowId(bookingId), escrow };
});
const closed = once(async ({ service }) => {
  const made = requireResult(await service.call("prefund_trip", { budgetUsdc: "20" }));
  requireResult(await service.call("close_trip", { tripId: made.tripId }));
  return { tripId: String(made.tripId), guestLink: made.guestLink };
});
const claimable = once(async ({ service }) => {
  const made = requireResult(await service.call("prefund_trip", { budgetUsdc: "20", require2fa: true }));
  return { tripId: String(made.tripId), guestLink: String(made.guestLink), claimCode: String(made.claimCode) };
});
const claimed = once(async ({ service }) => {
  const made = requireResult(await service.call("prefund_trip", { budgetUsdc: "20" }));
  requireResult(await service.call("guest_claim_link", { guestLink: made.guestLink, guestWallet: stranger() }));
  return made.guestLink;
});

function escrowId(value: unknown): `0x${string}` {
  return `0x${String(value).slice(2)}`;
}

const toGuest = { channel: "email", recipient: "guest@example.com" };

type Args = (world: World) => Promise<object>;

const PENDING = `pending = '{"step": "release", "transactionId": "ctx_none", "details": {}}'`;

/** Refusals of every new step: its trip is in an earlier escrow, or money is stopped. */
const stepRefusals = (buildArgs: Args): Refusals => ({
  settlement_stopped: async (world) => ({ args: await buildArgs(world) }),
  chain_not_available: async (world) => {
    const args = await buildArgs(world);
    const where = ["trip_id", await trip(world)] as const;
    return { args, restore: await changed(world, { table: "trip", set: `escrow = '${stranger()}'`, where }) };
  },
  step_in_progress: "chain",
  step_reverted: "chain",
});

/** `bookingId` alone is exchanged, so that everything else fits. */
const bookingRefusals = (makeBooking: (world: World) => Promise<`0x${string}`>, buildArgs: Args): Refusals => ({
  ...stepRefusals(buildArgs),
  booking_not_found: async (world) => ({ args: { ...(await buildArgs(world)), bookingId: freshHash() } }),
  booking_in_progress: async (world) => {
    const args = await buildArgs(world);
    const where = ["booking_id", await makeBooking(world)] as const;
    return { args, restore: await changed(world, { table: "escrow_booking", set: PENDING, where }) };
  },
});

/** Refusals of a trip that takes nothing new. */
const tripRefusals = (buildArgs: (tripId: string) => object): Refusals => ({
  trip_not_found: () => ({ args: buildArgs(freshHash()) }),
  trip_not_funded: async (world) => {
    const tripId = await trip(world);
    const where = ["trip_id", tripId] as const;
    return {
      args: buildArgs(tripId),
      restore: await changed(world, { table: "trip", set: "state = 'funding'", where }),
    };
  },
  trip_in_progress: async (world) => {
    const tripId = await trip(world);
    const where = ["trip_id", tripId] as const;
    return { args: buildArgs(tripId), restore: await changed(world, { table: "trip", set: PENDING, where }) };
  },
});
const openTripRefusals = (buildArgs: (tripId: string) => object): Refusals => ({
  ...tripRefusals(buildArgs),
  trip_expired: async (world) => ({ args: buildArgs((await expired(world)).tripId) }),
  trip_closed: async (world) => ({ args: buildArgs((await closed(world)).tripId) }),
});

const reservation = (tripId: string) => ({ tripId, upperBoundUsdc: "1" });
const commit: Args = async (world) => commitArgs(await reserved(world));
const priced: Args = async (world) => priceArgs(await reserved(world));
const priceArgs = (bookingId: string) => ({
  bookingId,
  costMicroUsdc: "5000000",
  markupBps: 500,
  itineraryHash: `0x${"18".repeat(32)}`,
  vendorAddress: "0x00000000000000000000000000000000000a11ce",
});

/** A commit with amounts or with a price. */
const commitRefusals = (buildArgs: Args): Refusals => ({
  ...bookingRefusals(reserved, buildArgs),
  wrong_state: async (world) => ({ args: { ...(await buildArgs(world)), bookingId: await cancelled(world) } }),
  trip_expired: async (world) => ({
    args: { ...(await buildArgs(world)), bookingId: (await expired(world)).bookingId },
  }),
  recipient_blocked: async (world) => ({
    args: { ...(await buildArgs(world)), vendorAddress: await blockedAddress(world) },
  }),
});

/** Under a pricing policy that is replaced by one without a markup afterwards. */
const pricedUnder =
  (policy: object, change: object): Provoke =>
  async (world) => {
    const activate = async (wanted: object) =>
      await world.result("activate_tenant_pricing_policy", {
        markupConfig: { strategy: "static", bps: 0 },
        ...wanted,
      });
    const args = { ...(await priced(world)), ...change };
    await activate(policy);
    return { args, restore: () => activate({}) };
  };

const ticketing: Args = async (world) => ticketArgs(await committed(world));
const settling: Args = async (world) => ({ bookingId: await ticketed(world) });
const cancelling: Args = async (world) => cancelArgs(await reserved(world), await trip(world));
const logging = (tripId: string) => ({ tripId, feeMicroUsdc: "1000000" });

const claim = async (world: World, change: object = {}) => {
  const { guestLink, claimCode } = await claimable(world);
  return { guestLink, claimCode, guestWallet: stranger(), ...change };
};
const changedClaim =
  (table: "trip" | "none", set: string): Provoke =>
  async (world) => {
    const where = ["trip_id", (await claimable(world)).tripId] as const;
    return { args: await claim(world), restore: await changed(world, { table, set, where }) };
  };

export const escrowRefusals: Readonly<Record<string, Refusals>> = {
  prefund_trip: {
    chain_not_available: "deployment",
    insufficient_balance: () => ({ args: { budgetUsdc: "50" } }),
    settlement_stopped: () => ({ args: { budgetUsdc: "50" } }),
    transfer_in_progress: "chain",
    transfer_reverted: "chain",
    recipient_blocked: "chain",
    agent_not_found: () => ({ args: { budgetUsdc: "50", agentTokenId: "999999999" } }),
  },
  guest_claim_link: {
    trip_not_found: async (world) => {
      const { guestLink, tripId } = await claimable(world);
      return { args: await claim(world, { guestLink: guestLink.replace(tripId, freshHash()) }) };
    },
    trip_not_funded: changedClaim("trip", "state = 'funding'"),
    trip_expired: async (world) => ({ args: await claim(world, { guestLink: (await expired(world)).guestLink }) }),
    trip_closed: async (world) => ({ args: await claim(world, { guestLink: (await closed(world)).guestLink }) }),
    trip_in_progress: changedClaim("trip", PENDING),
    settlement_stopped: async (world) => ({ args: await claim(world) }),
    chain_not_available: changedClaim("trip", `escrow = '${stranger()}'`),
    step_in_progress: "chain",
    step_reverted: "chain",
    claim_link_invalid: async (world) => ({ args: await claim(world, { guestLink: "https://trips.example/claim" }) }),
    already_claimed: async (world) => ({ args: await claim(world, { guestLink: await claimed(world) }) }),
    wrong_chain: async (world) => ({ args: await claim(world, { chainId: 1 }) }),
    claim_locked: changedClaim("trip", "wrong_codes = 5"),
    claim_code_required: async (world) => ({ args: await claim(world, { claimCode: undefined }) }),
    claim_code_wrong: "guess",
  },
  reserve_booking: {
    ...stepRefusals(async (world) => reservation(await trip(world))),
    ...openTripRefusals(reservation),
    insufficient_budget: async (world) => ({ args: { tripId: await trip(world), upperBoundUsdc: "9000" } }),
    booking_in_progress: "concurrent",
    wrong_state: async (world) => ({
      args: { tripId: await trip(world), bookingId: await reserved(world), upperBoundUsdc: "1" },
    }),
  },
  commit_booking: {
    ...commitRefusals(commit),
    exceeds_reservation: async (world) => ({ args: { ...(await commit(world)), vendorAmountUsdc: "90" } }),
  },
  confirm_booking: {
    ...commitRefusals(priced),
    exceeds_reservation: async (world) => ({ args: { ...(await priced(world)), costMicroUsdc: "90000000" } }),
    ceiling_exceeded: pricedUnder({ ceilingMicroUsdc: "100" }, {}),
    markup_below_service_take: pricedUnder({ serviceTakeBehavior: "deduct_from_markup" }, { markupBps: 0 }),
  },
  confirm_flight: {
    ...bookingRefusals(committed, ticketing),
    wrong_state: async (world) => ({ args: ticketArgs(await reserved(world)) }),
  },
  settle_booking: {
    ...bookingRefusals(ticketed, settling),
    wrong_state: async (world) => ({ args: { bookingId: await reserved(world) } }),
  },
  cancel_booking: {
    ...bookingRefusals(reserved, cancelling),
    wrong_state: async (world) => ({ args: cancelArgs(await settled(world), await trip(world)) }),
  },
  release_reservation: {
    ...bookingRefusals(reserved, cancelling),
    wrong_state: async (world) => ({ args: cancelArgs(await settled(world), await trip(world)) }),
    trip_in_progress: async (world) => {
      const args = await cancelling(world);
      const where = ["trip_id", await trip(world)] as const;
      return { args, restore: await changed(world, { table: "trip", set: PENDING, where }) };
    },
    trip_closed: "chain",
    trip_expired: "chain",
  },
  log_agent_action: {
    ...stepRefusals(async (world) => logging(await trip(world))),
    ...openTripRefusals(logging),
    insufficient_budget: async (world) => ({ args: { tripId: await trip(world), feeMicroUsdc: "9000000000" } }),
  },
  unlock_claim: {
    trip_not_found: () => ({ args: { tripId: freshHash() } }),
    claim_closed: async (world) => ({ args: { tripId: (await closed(world)).tripId } }),
  },
  send_claim_link: {
    trip_not_found: () => ({ args: { tripId: freshHash(), ...toGuest } }),
    claim_closed: async (world) => ({ args: { tripId: (await closed(world)).tripId, ...toGuest } }),
  },
  close_trip: {
    ...stepRefusals(async (world) => ({ tripId: await trip(world) })),
    ...tripRefusals((tripId) => ({ tripId })),
  },
};
