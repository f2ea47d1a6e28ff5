import { sql } from "kysely";
import { encodeFunctionData } from "viem";
import { generatePrivateKey, privateKeyToAddress } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ChainWorld, openChainWorld, recordingLog, UNIT } from "../../../../test/support/chain-world.ts";
import { delivery } from "../../../../test/support/delivery.ts";
import { freshHash } from "../../../../test/support/escrow.ts";
import { sandboxChain } from "../../../../test/support/sandbox-chain.ts";
import { stranger } from "../../../../test/support/treasury.ts";
import { createClaimKeys, deriveAddress } from "../../../adapters/evm/index.ts";
import { chainEndings } from "../../../contributions.ts";
import { systemRandom } from "../../../domain/ids.ts";
import type { Hex } from "../../../domain/tokens.ts";
import { tripEscrowAbi } from "../../../generated/contracts/trip-escrow.ts";
import { claimTrip } from "../../guests/claim-trip.ts";
import { readGuestLink } from "../../invitations/guest-link.ts";
import { prefundTrip } from "../prefund-trip.ts";
import type { BookingAction } from "../step-machine/escrow-action.ts";
import { escrowStep } from "../step-machine/step-operation.ts";
import { storeReservation, takeBookingStep, takeReservation } from "../step-machine/take-booking-step.ts";
import { type ReleaseTripsOptions, releaseTrips } from "./release-trips.ts";

/** The money of expired trips, on a chain whose time the test advances. */
let world: ChainWorld;
let openedChain: Awaited<ReturnType<ChainWorld["open"]>>;
let tenant: Awaited<ReturnType<ChainWorld["newTenant"]>>;
/** By how much the chain's time, and the service's, is ahead of this machine's. */
let ahead = 0;
const clock = { now: () => Temporal.Now.instant().add({ seconds: ahead }) };

beforeAll(async () => {
  world = await openChainWorld();
  openedChain = await world.open({ endings: chainEndings });
  tenant = await world.newTenant(10_000n * UNIT);
  openedChain.submitter.start();
});
afterAll(() => world?.[Symbol.asyncDispose]());

const HOUR = 3_600;
const DAY = 24 * HOUR;
const GRACE = 7 * DAY;
/** More than the job's allowance for the chain's clock. */
const MARGIN = 60;

async function letPass(seconds: number): Promise<void> {
  ahead += seconds;
  await world.devChain.ask("evm_increaseTime", [seconds]);
  await world.devChain.mine();
}

const ports = () => {
  const { stores, shared } = world;
  return {
    stores,
    clock,
    random: systemRandom,
    delivery,
    chain: openedChain.chain,
    submission: openedChain.submitter,
    claimKeys: createClaimKeys(shared.vault),
    claimLinks: { defaultOrigin: "https://app.example", otherOrigins: async () => [] },
  };
};

/** Funded, and claimed by the guest. It expires in an hour, which no caller can ask for. */
async function newTrip(budget: bigint, guest = stranger()): Promise<Hex> {
  const { result } = await prefundTrip(
    { ...ports(), clock: { now: () => clock.now().subtract({ seconds: DAY - HOUR }) } },
    {
      tenantId: tenant.tenant.id,
      userId: "svc:key",
      callId: await world.newCall(tenant.tenant.id),
      budget,
      expiresInDays: 1,
      requiresCode: false,
      details: {},
      guestEmail: undefined,
      linkOrigin: undefined,
      escrowAddress: undefined,
    },
  );
  const link = readGuestLink(String(result.guestLink));
  if (link === undefined) throw new Error("no guest link");
  await claimTrip(ports(), { ...link, guestWallet: guest, chainId: openedChain.chain.chainId });
  return link.tripId;
}

const asking = async () => ({ tenantId: tenant.tenant.id, callId: await world.newCall(tenant.tenant.id) });
const reservation = async (tripId: Hex, amount: bigint) => ({
  ...(await asking()),
  tripId,
  amount,
  bookingId: freshHash(),
  random: systemRandom,
  result: () => ({}),
});

async function newBooking(tripId: Hex, amount: bigint, vendor?: Hex, isConfirmed = false): Promise<Hex> {
  const asked = await reservation(tripId, amount);
  await takeReservation(ports(), asked);
  const { bookingId } = asked;
  const take = async (action: BookingAction) =>
    await takeBookingStep(ports(), { ...(await asking()), action, result: () => ({}) });
  const itineraryHash = freshHash();
  const amounts = { vendorAmount: amount - 3n * UNIT, markup: UNIT, serviceFee: UNIT };
  if (vendor !== undefined) await take({ name: "commit", bookingId, vendor, itineraryHash, ...amounts });
  if (isConfirmed) await take({ name: "confirm", bookingId, ticketHash: freshHash() });
  return bookingId;
}

/** A waiting workflow run that has reserved nothing of the trip. */
async function newWaitingRun(tripId: Hex) {
  const { db } = world;
  const runId = freshHash();
  await sql`
    insert into workflow_run (id, tenant_id, network, workflow_id, version, key_id, input, trip_id, state, request_hash, trace_id,
      created_at, updated_at)
    values (${runId}, ${tenant.tenant.id}, 'sandbox', 'service.book_stay', 1, 'key', '{}', ${tripId}, 'paused', 'x', 'x', now(), now())
  `.execute(db);
  await sql`
    insert into workflow_pause (session_id, run_id, step_id, tenant_id, network, reason, decided_by, expects, on_timeout, expires_at,
      created_at, needs_open_trip)
    values (${freshHash()}, ${runId}, 'guests', ${tenant.tenant.id}, 'sandbox', 'x', 'caller', '{}', '{}', now(), now(), true)
  `.execute(db);
  return async () =>
    await db
      .selectFrom("workflowRun")
      .select(["state", "cancelRequestedBy"])
      .where("id", "=", runId)
      .executeTakeFirstOrThrow();
}
const ENDING = { state: "running", cancelRequestedBy: "the end of its trip" };

const release = (change: Partial<ReleaseTripsOptions> = {}) =>
  releaseTrips({ ...ports(), log: world.shared.log, ...change });
async function releaseAll() {
  const done = await release();
  await world.drain(openedChain);
  return done;
}

const escrow = () => {
  if (openedChain.chain.escrow === undefined) throw new Error("the development chain has an escrow");
  return openedChain.chain.escrow;
};
const onChain = (tripId: Hex) => escrow().trip(tripId);
const trip = async (tripId: Hex) => await world.stores.trips.get("sandbox", tripId);
const booking = async (bookingId: Hex) =>
  await world.stores.escrowBookings.find(tenant.tenant.id, "sandbox", bookingId);
const listSteps = (one: { transactions: readonly { step: string }[] } | undefined) =>
  one?.transactions.map(({ step }) => step);
const listOrders = async (tripId: Hex) => {
  const names = (await world.stores.chainTransactions.listOpen(sandboxChain, 100)).map(({ operation }) => {
    const step = escrowStep.read(operation);
    return step?.tripId === tripId ? step.action.name : "another";
  });
  return names.filter((name) => name !== "another");
};
/** The books equal the chain, whoever moved the money. */
const expectBooks = async () => {
  while (await openedChain.indexer.runOnce());
  await openedChain.reconciler.runOnce();
  expect(openedChain.reconciler.differences()).toEqual({ USDC: 0n, EURC: 0n });
};

/** Anybody's call to the contract, without the service and with their own gas. */
async function callAs(key: Hex, data: Hex): Promise<void> {
  const { devChain } = world;
  const value = 10n ** 18n;
  await devChain.sendAs(devChain.funderKey, { to: privateKeyToAddress(key), value });
  const { status } = await devChain.sendAs(key, { to: escrow().address, data });
  expect(status).toBe("success");
}

test("free money comes back when its trip has expired, once, with several processes", async () => {
  const tripId = await newTrip(100n * UNIT);
  const bookingId = await newBooking(tripId, 30n * UNIT);
  const waiting = await newWaitingRun(tripId);
  expect(await release()).toEqual({ ordered: 0, adopted: 0 });
  await letPass(HOUR - MARGIN);
  expect(await release()).toEqual({ ordered: 0, adopted: 0 });
  // Expired, but within the clocks' margin.
  await letPass(MARGIN);
  expect(await release({ marginSeconds: MARGIN })).toEqual({ ordered: 0, adopted: 0 });
  await letPass(MARGIN);
  const before = await tenant.balanceOnChain();
  const other = await world.open({ endings: chainEndings });
  expect(await waiting()).toEqual({ state: "paused", cancelRequestedBy: null });
  const looks = [openedChain, other, openedChain, other].map(({ chain, submitter }) =>
    release({ chain, submission: submitter }),
  );
  await Promise.all(looks);
  await world.drain(openedChain);
  expect(await waiting()).toEqual(ENDING);
  expect(await onChain(tripId)).toMatchObject({ isClosed: true, free: 0n, held: 30n * UNIT });
  expect(await tenant.balanceOnChain()).toBe(before + 70n * UNIT);
  const record = await trip(tripId);
  expect(record).toMatchObject({
    state: "closed",
    free: 0n,
    held: 30n * UNIT,
    refunded: 70n * UNIT,
    pending: undefined,
  });
  expect(listSteps(record)).toEqual(["fund", "claim", "release"]);
  const rows = (await world.rows()).filter(({ chainOrder: order }) => JSON.stringify(order).includes('"release"'));
  expect(rows).toHaveLength(1);
  // The booking is in its grace.
  expect(await booking(bookingId)).toMatchObject({ state: "reserved", pending: undefined });
  expect(await releaseAll()).toEqual({ ordered: 0, adopted: 0 });
  await expectBooks();
});

test("abandoned bookings are ended after the grace: confirmed ones are paid, the others come back", async () => {
  const vendor = stranger();
  const tripId = await newTrip(100n * UNIT);
  const [reserved, committed, confirmed] = [
    await newBooking(tripId, 10n * UNIT),
    await newBooking(tripId, 20n * UNIT, vendor),
    await newBooking(tripId, 30n * UNIT, vendor, true),
  ];
  await letPass(HOUR + MARGIN);
  await releaseAll();
  await letPass(GRACE - 2 * MARGIN);
  expect(await releaseAll()).toMatchObject({ adopted: 0 });
  expect(await onChain(tripId)).toMatchObject({ free: 0n, held: 60n * UNIT });
  await letPass(3 * MARGIN);
  const before = await tenant.balanceOnChain();
  await releaseAll();
  expect(await onChain(tripId)).toMatchObject({ free: 0n, held: 0n });
  expect(await tenant.balanceOnChain(vendor)).toBe(27n * UNIT);
  // 10 and 20 of them, and the confirmed one's markup and uncommitted rest.
  expect((await tenant.balanceOnChain()) - before).toBeGreaterThanOrEqual(32n * UNIT);
  expect(await booking(reserved)).toMatchObject({ state: "cancelled", refunded: 10n * UNIT });
  expect(await booking(committed)).toMatchObject({ state: "cancelled", refunded: 20n * UNIT, vendorPaid: 0n });
  const paid = await booking(confirmed);
  expect(paid).toMatchObject({ state: "settled", vendorPaid: 27n * UNIT, feePaid: 2n * UNIT, refunded: UNIT });
  expect(listSteps(paid)).toEqual(["reserve", "commit", "confirm", "release"]);
  expect(await trip(tripId)).toMatchObject({
    state: "closed",
    held: 0n,
    vendorPaid: 27n * UNIT,
    markupPaid: UNIT,
    serviceFeePaid: UNIT,
    refunded: 71n * UNIT,
  });
  expect(await releaseAll()).toEqual({ ordered: 0, adopted: 0 });
  await expectBooks();
});

test("releases by others are stored, and not repeated", async () => {
  const [guest, passerBy] = [generatePrivateKey(), generatePrivateKey()];
  const vendor = stranger();
  const tripId = await newTrip(100n * UNIT, deriveAddress(guest));
  const mine = await newBooking(tripId, 10n * UNIT);
  const kept = await newBooking(tripId, 20n * UNIT);
  const confirmed = await newBooking(tripId, 30n * UNIT, vendor, true);
  const waiting = await newWaitingRun(tripId);
  const abi = tripEscrowAbi;
  await letPass(HOUR + MARGIN);
  await callAs(passerBy, encodeFunctionData({ abi, functionName: "release", args: [tripId] }));
  await callAs(guest, encodeFunctionData({ abi, functionName: "releaseBooking", args: [tripId, mine] }));
  const log = recordingLog();
  expect(await release({ log })).toEqual({ ordered: 0, adopted: 2 });
  expect(log.lines.join("\n")).toContain("somebody else has released a booking");
  expect(await waiting()).toEqual(ENDING);
  expect(await listOrders(tripId)).toEqual([]);
  expect(await trip(tripId)).toMatchObject({ state: "closed", free: 0n, held: 50n * UNIT, refunded: 50n * UNIT });
  expect(await booking(mine)).toMatchObject({ state: "cancelled", refunded: 10n * UNIT });
  expect(await booking(kept)).toMatchObject({ state: "reserved" });
  await expectBooks();

  await letPass(GRACE);
  await callAs(passerBy, encodeFunctionData({ abi, functionName: "releaseBooking", args: [tripId, confirmed] }));
  expect(await releaseAll()).toEqual({ ordered: 1, adopted: 1 });
  expect(await booking(confirmed)).toMatchObject({ state: "settled", vendorPaid: 27n * UNIT, refunded: UNIT });
  expect(listSteps(await booking(confirmed))).toEqual(["reserve", "commit", "confirm"]);
  expect(await booking(kept)).toMatchObject({ state: "cancelled", refunded: 20n * UNIT });
  expect(await trip(tripId)).toMatchObject({ held: 0n, vendorPaid: 27n * UNIT, refunded: 71n * UNIT });
  await expectBooks();
});

test("a release too early for the chain's clock changes nothing, and is repeated", async () => {
  const tripId = await newTrip(10n * UNIT);
  const early = { now: () => clock.now().add({ seconds: HOUR + MARGIN }) };
  expect(await release({ clock: early })).toEqual({ ordered: 1, adopted: 0 });
  await world.drain(openedChain);
  expect(await trip(tripId)).toMatchObject({ state: "funded", free: 10n * UNIT, pending: undefined });
  await letPass(HOUR + MARGIN);
  expect(await releaseAll()).toEqual({ ordered: 1, adopted: 0 });
  expect(await trip(tripId)).toMatchObject({ state: "closed", free: 0n, refunded: 10n * UNIT });
});

test.each([
  ["", false],
  [", also when others release it meanwhile", true],
])("a promise to a step in progress is waited for%s", async (_when, isReleased) => {
  const tripId = await newTrip(10n * UNIT);
  world.devChain.misbehave(({ method }) => (method === "eth_sendRawTransaction" ? "500" : "pass"));
  await storeReservation(ports(), await reservation(tripId, 4n * UNIT));
  await letPass(HOUR + MARGIN);
  const data = encodeFunctionData({ abi: tripEscrowAbi, functionName: "release", args: [tripId] });
  if (isReleased) await callAs(generatePrivateKey(), data);
  const log = recordingLog();
  expect(await release({ log })).toEqual({ ordered: 0, adopted: 0 });
  expect(log.lines).toEqual([]);
  expect(await listOrders(tripId)).toEqual(["reserve"]);
  world.devChain.behave();
  // Too late for the contract, so it is free again.
  await world.drain(openedChain);
  expect(await trip(tripId)).toMatchObject({ free: 10n * UNIT, promised: 0n });
  expect(await releaseAll()).toEqual(isReleased ? { ordered: 0, adopted: 1 } : { ordered: 1, adopted: 0 });
  expect(await trip(tripId)).toMatchObject({ state: "closed", free: 0n });
});

test("trips that wait for their grace do not block others", async () => {
  const waiting = await newTrip(10n * UNIT);
  await newBooking(waiting, 10n * UNIT);
  const ids = [await newTrip(3n * UNIT), await newTrip(4n * UNIT)];
  await letPass(HOUR + MARGIN);
  expect(await release({ batch: 1 })).toEqual({ ordered: 2, adopted: 0 });
  await world.drain(openedChain);
  for (const tripId of ids) expect(await trip(tripId)).toMatchObject({ state: "closed", free: 0n });
  expect(await trip(waiting)).toMatchObject({ state: "funded", held: 10n * UNIT });
});

test("nothing is released while money is stopped, or while the chain is unreachable", async () => {
  const tripId = await newTrip(5n * UNIT);
  await letPass(HOUR + MARGIN);
  await world.stores.boundChains.stop(sandboxChain, "a difference");
  const log = recordingLog();
  expect(await release({ log })).toEqual({ ordered: 0, adopted: 0 });
  expect(log.lines).toEqual([]);
  await world.stores.boundChains.resume(sandboxChain);
  world.devChain.misbehave(() => "reset");
  await expect(release()).rejects.toMatchObject({ code: "chain_unavailable" });
  world.devChain.behave();
  expect(await listOrders(tripId)).toEqual([]);
  expect(await releaseAll()).toEqual({ ordered: 1, adopted: 0 });
  expect(await trip(tripId)).toMatchObject({ state: "closed", free: 0n });
});
