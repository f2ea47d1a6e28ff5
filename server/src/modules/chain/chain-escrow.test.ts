import { encodeFunctionData, hexToString, parseEventLogs } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ChainWorld, openChainWorld, UNIT } from "../../../test/support/chain-world.ts";
import {
  address20,
  type EscrowOrders,
  hash32,
  openEscrowOrders,
  requireThere,
} from "../../../test/support/escrow-orders.ts";
import { sandboxChain } from "../../../test/support/sandbox-chain.ts";
import type { Hex } from "../../domain/tokens.ts";
import { stablecoinAbi } from "../../generated/contracts/stablecoin.ts";
import { tripEscrowAbi } from "../../generated/contracts/trip-escrow.ts";
import type { ConfirmedTransaction } from "../../kernel/contracts/chain-ending.ts";
import { escrowStep } from "../escrow/step-machine/step-operation.ts";
import { tripPrefund } from "../escrow/trips/prefund-operation.ts";

/** Orders of trips, on the contract. */
let world: ChainWorld;
let escrow: EscrowOrders;
beforeAll(async () => {
  world = await openChainWorld();
  escrow = openEscrowOrders(world);
});
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

const nothing = { USDC: 0n, EURC: 0n };
const stoppedBecause = async () => (await world.openedChain.boundChains.get(sandboxChain))?.stoppedBecause;

async function requireEvent(hash: Hex | undefined) {
  const { logs } = await world.devChain.client.getTransactionReceipt({ hash: hash ?? "0x" });
  return requireThere(parseEventLogs({ abi: tripEscrowAbi, logs })[0]);
}

describe("the escrow of the development chain", () => {
  it("is operated by the relayer, and its fees go to the collection wallet", async () => {
    const read = (functionName: "owner" | "operator" | "serviceFeeRecipient" | "token") =>
      world.devChain.client.readContract({ address: escrow.escrow.address, abi: tripEscrowAbi, functionName });
    const [relayer] = (await world.openedChain.wallets.list(sandboxChain)).filter(({ kind }) => kind === "relayer");
    const found = await Promise.all(
      (["owner", "operator", "serviceFeeRecipient", "token"] as const).map(async (name) =>
        (await read(name)).toLowerCase(),
      ),
    );
    const { collection, chain } = world.openedChain;
    expect(found).toEqual([relayer?.address, relayer?.address, collection.address, chain.tokens.USDC.address]);
    expect(escrow.escrow.graceSeconds).toBe(604_800n);
  });

  it("gives a trip the same id as computed outside of it", async () => {
    for (const budget of [1n, 2n ** 128n - 1n]) {
      const terms = {
        funder: address20(),
        budget,
        expiresAt: 2n ** 64n - 1n,
        claimSigner: address20(),
        metadataHash: hash32(),
        salt: hash32(),
      };
      const onChain = await world.devChain.client.readContract({
        address: escrow.escrow.address,
        abi: tripEscrowAbi,
        functionName: "tripIdOf",
        args: [terms],
      });
      expect(escrow.escrow.tripId(terms)).toBe(onChain);
      expect(escrow.escrow.tripId({ ...terms, budget: budget - 1n })).not.toBe(onChain);
    }
  });

  it("knows no trips and bookings that were never made", async () => {
    expect(await escrow.escrow.trip(hash32())).toBeUndefined();
    const none = { vendorAmount: 0n, markup: 0n, serviceFee: 0n, reserved: 0n, vendor: undefined };
    expect(await escrow.escrow.booking(hash32(), hash32())).toEqual({ state: "none", ...none });
    expect(await escrow.escrow.withdrawable(address20())).toBe(0n);
  });
});

describe("a trip", () => {
  it("goes from its budget to vendor, fees and funder, and the books follow", async () => {
    const tenant = await world.newTenant();
    const { address: collection } = world.openedChain.collection;
    const feesBefore = await escrow.readBalance(collection);
    const codeNonce = hash32();
    const claimSigner = escrow.claimKeys.signerAddress(codeNonce);
    const tripId = await escrow.fund(tenant, { claimSigner });
    const trip = { funder: tenant.wallet.address, isClosed: false, guest: undefined };
    expect(await escrow.escrow.trip(tripId)).toMatchObject({ ...trip, free: 50n * UNIT, held: 0n });
    expect(await tenant.balance()).toEqual({ available: 50n * UNIT, held: 0n, outgoing: 0n });
    expect(await escrow.booked()).toBe(50n * UNIT);
    expect(await world.reconcile()).toEqual(nothing);

    const guest = address20();
    const claim = { chainId: world.devChain.chainId, escrow: escrow.escrow.address, tripId, guest };
    const deadline = escrow.nowSeconds() + 600n;
    const signature = await escrow.claimKeys.signClaim(codeNonce, { ...claim, deadline });
    await escrow.do(tripId, { name: "claim", guest, deadline, signature });
    expect(await escrow.escrow.trip(tripId)).toMatchObject({ guest });

    const logged = await escrow.act(tripId, { name: "log", actionId: hash32(), actionType: "search", fee: UNIT });
    const action = await requireEvent(logged.hash);
    expect(action.eventName === "ActionLogged" && hexToString(action.args.actionType, { size: 32 })).toBe("search");

    const [bookingId, other, vendor] = [hash32(), hash32(), address20()];
    await escrow.do(
      tripId,
      { name: "reserve", bookingId, amount: 30n * UNIT },
      { name: "reserve", bookingId: other, amount: 10n * UNIT },
    );
    expect(await escrow.escrow.trip(tripId)).toMatchObject({ free: 9n * UNIT, held: 40n * UNIT });
    const parts = { vendorAmount: 20n * UNIT, markup: 3n * UNIT, serviceFee: 2n * UNIT };
    await escrow.do(
      tripId,
      { name: "commit", bookingId, vendor, ...parts, itineraryHash: hash32() },
      { name: "confirm", bookingId, ticketHash: hash32() },
    );
    const booking = { vendor, reserved: 30n * UNIT, ...parts };
    expect(await escrow.escrow.booking(tripId, bookingId)).toEqual({ state: "confirmed", ...booking });
    await escrow.do(tripId, { name: "settle", bookingId });
    expect(await escrow.escrow.booking(tripId, bookingId)).toEqual({ state: "settled", ...booking });
    expect(await escrow.readBalance(vendor)).toBe(20n * UNIT);
    expect((await escrow.readBalance(collection)) - feesBefore).toBe(2n * UNIT);
    // The action's fee, the markup and the rest of the reservation.
    expect((await tenant.balance()).available).toBe(50n * UNIT + UNIT + 3n * UNIT + 5n * UNIT);

    const reason = "the guest cannot come, and says so with many words";
    const cancelled = await escrow.act(tripId, { name: "cancel", bookingId: other, reason });
    const { args } = await requireEvent(cancelled.hash);
    // A text of more than 32 bytes appears as its hash.
    expect(args).toMatchObject({ reason: expect.stringMatching(/^0x[0-9a-f]{64}$/), refunded: 10n * UNIT });
    await escrow.do(tripId, { name: "close" });
    expect(await escrow.escrow.trip(tripId)).toMatchObject({ isClosed: true, free: 0n, held: 0n });
    expect((await tenant.balance()).available).toBe(100n * UNIT - 20n * UNIT - 2n * UNIT);
    expect(await escrow.booked()).toBe(0n);
    expect(await world.reconcile()).toEqual(nothing);
  });

  it("is funded once if somebody else sends the funder's authorization first", async () => {
    const tenant = await world.newTenant();
    const callId = await world.newCall(tenant.tenant.id);
    const order = escrow.prefundOperation(escrow.buildTerms(tenant));
    const { to, data } = await escrow.withheld(() =>
      tenant.send(order, { callId, waitMilliseconds: 0 }).catch(() => undefined),
    );
    const theirs = await world.devChain.sendAs(world.devChain.funderKey, { to, data });
    expect(theirs.status).toBe("success");
    // Money left the wallet by a stranger's transaction, but by an authorization of ours.
    while (await world.openedChain.indexer.runOnce());
    expect(await stoppedBecause()).toBeUndefined();
    await world.drain();
    expect(await world.callEnd(callId)).toMatchObject({ effect: "done", result: { txHash: theirs.transactionHash } });
    expect(await tenant.balance()).toEqual({ available: 50n * UNIT, held: 0n, outgoing: 0n });
    expect(await world.reconcile()).toEqual(nothing);
  });

  it("is claimed if somebody who saw the pending claim sends it first", async () => {
    const tenant = await world.newTenant();
    const codeNonce = hash32();
    const tripId = await escrow.fund(tenant, { claimSigner: escrow.claimKeys.signerAddress(codeNonce) });
    const [guest, deadline] = [address20(), escrow.nowSeconds() + 600n];
    const claim = { chainId: world.devChain.chainId, escrow: escrow.escrow.address, tripId, guest, deadline };
    const signature = await escrow.claimKeys.signClaim(codeNonce, claim);
    const order = escrow.stepOperation(tripId, { name: "claim", guest, deadline, signature });
    const { id, to, data } = await escrow.withheld(() => escrow.store(order));
    const theirs = await world.devChain.sendAs(world.devChain.funderKey, { to, data });
    expect(theirs.status).toBe("success");
    await world.drain();
    expect(await world.stores.chainTransactions.get(id)).toMatchObject({
      state: "confirmed",
      hash: theirs.transactionHash,
    });
    // Control: it did not carry out another guest's claim of the same trip.
    const other = { ...claim, guest: address20() };
    const late = await escrow.claimKeys.signClaim(codeNonce, other);
    expect(await escrow.act(tripId, { name: "claim", guest: other.guest, deadline, signature: late })).toMatchObject({
      state: "reverted",
      failure: expect.stringMatching(/^AlreadyClaimed\(0x/),
    });
  });

  it("takes no step twice after a restore from a backup", async () => {
    const tenant = await world.newTenant();
    const tripId = await escrow.fund(tenant);
    const [bookingId, other, vendor] = [hash32(), hash32(), address20()];
    const parts = { vendorAmount: 4n * UNIT, markup: UNIT, serviceFee: UNIT };
    const steps = [
      { name: "reserve", bookingId, amount: 10n * UNIT },
      { name: "commit", bookingId, vendor, ...parts, itineraryHash: hash32() },
      { name: "confirm", bookingId, ticketHash: hash32() },
      { name: "settle", bookingId },
      { name: "reserve", bookingId: other, amount: 10n * UNIT },
      { name: "return", bookingId: other, reason: "timeout" },
      { name: "log", actionId: hash32(), actionType: "chat", fee: 1n },
      { name: "close" },
    ] as const;
    for (const step of steps) {
      const first = await escrow.act(tripId, step);
      await escrow.forget(first.id);
      await world.drain();
      const again = requireThere(await world.stores.chainTransactions.get(first.id));
      expect([step.name, again.state, again.hash]).toEqual([step.name, "confirmed", first.hash]);
    }
    // Control: a different step counts as another one and is refused.
    expect(await escrow.act(tripId, { name: "reserve", bookingId, amount: 11n * UNIT })).toMatchObject({
      failure: "TripIsClosed()",
    });
    expect(await world.reconcile()).toEqual(nothing);
  });

  it("that expires before it is funded costs nothing", async () => {
    const tenant = await world.newTenant();
    const callId = await world.newCall(tenant.tenant.id);
    const order = escrow.prefundOperation(escrow.buildTerms(tenant, { expiresAt: escrow.nowSeconds() - 100n }));
    await expect(tenant.send(order, { callId, waitMilliseconds: 0 })).rejects.toThrow();
    await world.drain();
    const row = (await world.rows()).find((one) => one.callId === callId);
    expect(row).toMatchObject({ state: "reverted", failure: expect.stringMatching(/^TripExpired\(\d+\)$/) });
    expect(await tenant.balance()).toEqual({ available: 100n * UNIT, held: 0n, outgoing: 0n });
  });

  it("reports the contract's own errors", async () => {
    const tenant = await world.newTenant();
    const tripId = await escrow.fund(tenant);
    const bookingId = hash32();
    const refused = async (id: Hex, action: Parameters<EscrowOrders["act"]>[1]) => {
      const { state, failure } = await escrow.act(id, action);
      return [state, failure];
    };
    const reserve = { name: "reserve", bookingId, amount: 10n * UNIT } as const;
    const unknown = hash32();
    expect(await refused(unknown, reserve)).toEqual(["reverted", `TripUnknown(${unknown})`]);
    expect(await refused(tripId, { ...reserve, amount: 51n * UNIT })).toEqual([
      "reverted",
      "InsufficientFree(50000000, 51000000)",
    ]);
    await escrow.do(tripId, reserve);
    expect(await refused(tripId, { name: "settle", bookingId })).toEqual(["reverted", "WrongState(1)"]);
    expect(await refused(tripId, { name: "release" })).toEqual([
      "reverted",
      expect.stringMatching(/^TripNotExpired\(\d+\)$/),
    ]);
    const nobody = {
      guest: address20(),
      deadline: escrow.nowSeconds() + 600n,
      signature: `0x${"11".repeat(65)}`,
    } as const;
    expect(await refused(tripId, { name: "claim", ...nobody })).toEqual(["reverted", "WrongClaimSignature()"]);
    await escrow.do(tripId, { name: "close" });
    expect(await refused(tripId, { ...reserve, bookingId: hash32() })).toEqual(["reverted", "TripIsClosed()"]);
    expect(await world.reconcile()).toEqual(nothing);
  });

  it("of another escrow is not signed", async () => {
    const tenant = await world.newTenant();
    const prefund = { ...escrow.prefundOperation(escrow.buildTerms(tenant)).input, escrow: address20() };
    const { terms: _terms, ...step } = prefund;
    const orders = [tripPrefund.of(prefund), escrowStep.of({ ...step, action: { name: "close" } })];
    for (const one of orders) {
      const transaction = { ...(await escrow.act(hash32(), { name: "close" })), operation: one };
      await expect(world.openedChain.sender.prepare(transaction)).rejects.toThrow(
        `the escrow of chain 5042002 is ${escrow.escrow.address}, not ${prefund.escrow}`,
      );
    }
  });
});

describe("the books of the escrow", () => {
  it("include strangers' payments that stay there, and failed payouts of the contract", async () => {
    const tenant = await world.newTenant();
    const bookedBefore = requireThere(await escrow.booked());
    const stranger = await escrow.newStranger(20n * UNIT);
    const { address: usdc } = world.openedChain.chain.tokens.USDC;
    const give = (to: Hex, value: bigint) =>
      encodeFunctionData({ abi: stablecoinAbi, functionName: "transfer", args: [to, value] });
    await world.devChain.sendAs(stranger.privateKey, { to: usdc, data: give(escrow.escrow.address, UNIT) });
    expect(await world.reconcile()).toEqual(nothing);

    const trip = await escrow.fundByStranger(stranger, 5n * UNIT);
    expect((await world.devChain.sendAs(world.devChain.funderKey, trip)).status).toBe("success");
    expect(await world.reconcile()).toEqual(nothing);
    expect(await escrow.booked()).toBe(bookedBefore + 6n * UNIT);

    // A vendor blocked by the issuer delays nobody: his money waits for him in the contract.
    const tripId = await escrow.fund(tenant);
    const [bookingId, vendor] = [hash32(), address20()];
    const parts = { vendorAmount: 9n * UNIT, markup: 0n, serviceFee: 0n };
    await escrow.asIssuer("blacklist", vendor);
    await escrow.do(
      tripId,
      { name: "reserve", bookingId, amount: 9n * UNIT },
      { name: "commit", bookingId, vendor, ...parts, itineraryHash: hash32() },
      { name: "confirm", bookingId, ticketHash: hash32() },
      { name: "settle", bookingId },
      { name: "close" },
    );
    expect(await escrow.escrow.withdrawable(vendor)).toBe(9n * UNIT);
    expect(await escrow.booked()).toBe(bookedBefore + 6n * UNIT + 9n * UNIT);
    expect(await world.reconcile()).toEqual(nothing);
    await escrow.asIssuer("unBlacklist", vendor);
    expect((await escrow.asStranger("withdraw", vendor)).status).toBe("success");
    expect(await world.reconcile()).toEqual(nothing);
    expect(await escrow.readBalance(vendor)).toBe(9n * UNIT);
    expect(await escrow.booked()).toBe(bookedBefore + 6n * UNIT);
    // Escrow payments by a stranger's transaction are no reason to stop.
    expect(await stoppedBecause()).toBeUndefined();
  });

  it("notice booked money that is missing there", async () => {
    const tenant = await world.newTenant();
    await escrow.fund(tenant);
    expect(await world.reconcile()).toEqual(nothing);
    const off = (by: string) =>
      world.pool.query(
        "update ledger_account set balance_micro = balance_micro + $1 where kind = 'escrow' and token = 'USDC'",
        [by],
      );
    await off("-1");
    expect(await world.reconcile()).toEqual({ USDC: 1n, EURC: 0n });
    expect(await stoppedBecause()).toContain(`disagree about the USDC of ${escrow.escrow.address}`);
    await off("1");
    await world.openedChain.boundChains.resume(sandboxChain);
    expect(await world.reconcile()).toEqual(nothing);
  });
});

describe("an expired trip", () => {
  it("is released by anybody, and its bookings after the grace", async () => {
    const tenant = await world.newTenant();
    const tripId = await escrow.fund(tenant);
    const other = await escrow.fund(tenant, { budget: 20n * UNIT });
    const [reserved, confirmed, vendor] = [hash32(), hash32(), address20()];
    const parts = { vendorAmount: 6n * UNIT, markup: 0n, serviceFee: 0n };
    await escrow.do(
      tripId,
      { name: "reserve", bookingId: reserved, amount: 10n * UNIT },
      { name: "reserve", bookingId: confirmed, amount: 10n * UNIT },
      { name: "commit", bookingId: confirmed, vendor, ...parts, itineraryHash: hash32() },
      { name: "confirm", bookingId: confirmed, ticketHash: hash32() },
    );
    await world.devChain.ask("evm_increaseTime", [3_700]);
    await world.devChain.mine();
    await escrow.do(other, { name: "release" });
    expect((await escrow.asStranger("release", tripId)).status).toBe("success");
    expect(await world.reconcile()).toEqual(nothing);
    expect((await tenant.balance()).available).toBe(80n * UNIT);
    const early = await escrow.act(tripId, { name: "release_booking", bookingId: confirmed });
    expect(early).toMatchObject({ state: "reverted", failure: expect.stringMatching(/^GraceNotOver\(\d+\)$/) });
    await world.devChain.ask("evm_increaseTime", [604_800]);
    await world.devChain.mine();
    await escrow.do(
      tripId,
      { name: "release_booking", bookingId: confirmed },
      { name: "release_booking", bookingId: reserved },
    );
    expect(await escrow.escrow.booking(tripId, confirmed)).toMatchObject({ state: "settled" });
    expect(await escrow.escrow.booking(tripId, reserved)).toMatchObject({ state: "cancelled" });
    expect(await escrow.readBalance(vendor)).toBe(6n * UNIT);
    expect((await tenant.balance()).available).toBe(94n * UNIT);
    expect(await world.reconcile()).toEqual(nothing);
  });

  it("whose bookings a stranger released in one transaction is paid for each separately", async () => {
    const tenant = await world.newTenant();
    const now = (await world.devChain.client.getBlock()).timestamp;
    const tripId = await escrow.fund(tenant, { expiresAt: now + 3_600n });
    const bookings = [hash32(), hash32()];
    for (const [index, bookingId] of bookings.entries()) {
      await escrow.do(tripId, { name: "reserve", bookingId, amount: BigInt(index + 1) * UNIT });
    }
    await world.devChain.ask("evm_increaseTime", [3_700 + 604_800]);
    await world.devChain.mine();
    const orders = [];
    for (const bookingId of bookings) {
      orders.push(await escrow.store(escrow.stepOperation(tripId, { name: "release_booking", bookingId })));
    }
    const hash = await escrow.releaseTogether(tripId, bookings);
    const seen = new Map<string, bigint[]>();
    const endings = {
      test: {
        async confirmed(_: unknown, confirmedTransactions: readonly ConfirmedTransaction[]) {
          for (const { transaction, receipt } of confirmedTransactions) {
            expect(receipt.hash).toBe(hash);
            seen.set(
              transaction.id,
              receipt.movements.map(({ amount }) => amount),
            );
          }
        },
      },
    };
    await world.drain(await world.open({ endings }));
    expect(orders.map(({ id }) => seen.get(id))).toEqual([[UNIT], [2n * UNIT]]);
    expect(await world.reconcile()).toEqual(nothing);
    expect((await tenant.balance()).available).toBe(53n * UNIT);
  });
});
