import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { APP_ORIGIN, openClaimWorld } from "../../../test/support/claim-world.ts";
import { stranger, UNIT } from "../../../test/support/treasury.ts";
import { Failure } from "../../domain/errors.ts";
import { MOST_WRONG_CODES } from "../trips/trips.ts";
import { claimTrip, openClaim } from "./claim-trip.ts";

/** Concurrent and repeated claims, on a chain that proceeds only when a test says so. */
type ClaimWorld = Awaited<ReturnType<typeof openClaimWorld>>;
let world: ClaimWorld;
beforeAll(async () => {
  world = await openClaimWorld();
});
afterAll(() => world?.[Symbol.asyncDispose]());

const failing = (code: string) => expect.objectContaining({ code });
const otherThan = (code: string, by = 1): string => String((Number(code) + by) % 1_000_000).padStart(6, "0");

async function settledCodes(claims: readonly Promise<unknown>[]): Promise<string[]> {
  return (await Promise.allSettled(claims)).map((end) =>
    end.status === "fulfilled" ? "ok" : end.reason instanceof Failure ? end.reason.code : String(end.reason),
  );
}

const wrongCodes = async (tripId: `0x${string}`) => (await world.stores.trips.get("sandbox", tripId))?.wrongCodes;
const listClaims = async (tripId: `0x${string}`) =>
  (await world.rows()).filter(({ chainOrder: order }) => {
    const text = JSON.stringify(order);
    return text.includes(tripId) && text.includes('"claim"');
  });

describe("wrong codes", () => {
  it("sent 16 at once are counted exactly: five are wrong, the others meet a locked claim", async () => {
    const { claimCode, ...link } = await world.newTrip();
    const guestWallet = stranger();
    const claims = Array.from({ length: 16 }, (_, index) =>
      world.claim({ ...link, codeNonce: undefined, guestWallet, claimCode: otherThan(claimCode, index + 1) }),
    );
    const codes = (await settledCodes(claims)).toSorted();
    expect(codes).toEqual([...Array(5).fill("claim_code_wrong"), ...Array(11).fill("claim_locked")]);
    expect(await wrongCodes(link.tripId)).toBe(MOST_WRONG_CODES);
    await expect(world.claim({ ...link, guestWallet, claimCode })).rejects.toEqual(failing("claim_locked"));
    expect(await wrongCodes(link.tripId)).toBe(MOST_WRONG_CODES);
    expect(await listClaims(link.tripId)).toEqual([]);
    // The buyer lets the guest try again.
    const { environment } = world.ports.chain;
    expect(await world.stores.trips.unlock("tenant_of_somebody_else", environment, link.tripId)).toBe(false);
    await expect(world.claim({ ...link, guestWallet, claimCode })).rejects.toEqual(failing("claim_locked"));
    expect(await world.stores.trips.unlock(world.tenant.id, environment, link.tripId)).toBe(true);
    await expect(world.claim({ ...link, guestWallet, claimCode })).rejects.toEqual(failing("step_in_progress"));
    await world.drain();
    expect((await world.claim({ ...link, guestWallet, claimCode })).result).toMatchObject({ guestWallet });
  });

  it("sent all at once block the right one after them", async () => {
    const { claimCode, ...link } = await world.newTrip();
    const guestWallet = stranger();
    const codes = [...Array.from({ length: 40 }, (_, index) => otherThan(claimCode, index + 1)), claimCode];
    const ends = await settledCodes(codes.map((code) => world.claim({ ...link, guestWallet, claimCode: code })));
    expect(ends.filter((code) => code === "claim_code_wrong")).toHaveLength(MOST_WRONG_CODES);
    expect(ends.at(-1)).toBe("claim_locked");
    expect(await listClaims(link.tripId)).toEqual([]);
  });

  it("tell the remaining attempts", async () => {
    const { claimCode, ...link } = await world.newTrip();
    const guestWallet = stranger();
    for (const attemptsLeft of [4, 3, 2, 1, 0]) {
      const claim = world.claim({ ...link, guestWallet, claimCode: otherThan(claimCode) });
      await expect(claim).rejects.toMatchObject({ code: "claim_code_wrong", extra: { attemptsLeft } });
      // A request that does not test the code costs no attempt.
      await expect(world.claim({ ...link, guestWallet })).rejects.toEqual(
        failing(attemptsLeft === 0 ? "claim_locked" : "claim_code_required"),
      );
      const wrongLink = { ...link, linkSecret: "A".repeat(43) };
      await expect(world.claim({ ...wrongLink, guestWallet, claimCode })).rejects.toEqual(
        failing("claim_link_invalid"),
      );
    }
  });

  it("include wrong code nonces, with the right code", async () => {
    const { claimCode, codeNonce, ...link } = await world.newTrip();
    const { codeNonce: otherNonce } = await world.newTrip();
    const guestWallet = stranger();
    const claim = world.claim({ ...link, guestWallet, claimCode, codeNonce: otherNonce });
    await expect(claim).rejects.toEqual(failing("claim_code_wrong"));
    expect(await wrongCodes(link.tripId)).toBe(1);
    await expect(world.claim({ ...link, guestWallet, claimCode, codeNonce })).rejects.toEqual(
      failing("step_in_progress"),
    );
  });
});

describe("the right code", () => {
  it("sent 16 times at once for one wallet claims once, and all get the same answer", async () => {
    const trip = await world.newTrip();
    const guestWallet = stranger();
    const claim = () => world.claim({ ...trip, guestWallet });
    expect(new Set(await settledCodes(Array.from({ length: 16 }, claim)))).toEqual(new Set(["step_in_progress"]));
    expect(await listClaims(trip.tripId)).toHaveLength(1);
    await world.drain();
    const answers = await Promise.all(Array.from({ length: 16 }, claim));
    expect(new Set(answers.map(({ result }) => JSON.stringify(result))).size).toBe(1);
    expect(await listClaims(trip.tripId)).toHaveLength(1);
    expect(await world.stores.trips.get("sandbox", trip.tripId)).toMatchObject({ guestWallet, wrongCodes: 0 });
  });

  it("sent 16 times at once for 16 wallets claims for one of them", async () => {
    const trip = await world.newTrip();
    const wallets = Array.from({ length: 16 }, stranger);
    const during = await settledCodes(wallets.map((guestWallet) => world.claim({ ...trip, guestWallet })));
    expect(during.toSorted()).toEqual(["step_in_progress", ...Array(15).fill("trip_in_progress")]);
    await world.drain();
    const after = await settledCodes(wallets.map((guestWallet) => world.claim({ ...trip, guestWallet })));
    expect(after.toSorted()).toEqual([...Array(15).fill("already_claimed"), "ok"]);
    expect(await listClaims(trip.tripId)).toHaveLength(1);
  });

  it("is required again if the pending claim had no effect", async () => {
    const { claimCode, ...link } = await world.newTrip();
    const guestWallet = stranger();
    await expect(world.claim({ ...link, guestWallet, claimCode })).rejects.toEqual(failing("step_in_progress"));
    // The same wallet needs no code to learn the outcome.
    await expect(world.claim({ ...link, guestWallet })).rejects.toEqual(failing("step_in_progress"));
    const claims = await listClaims(link.tripId);
    const withoutClaim: typeof world.ports.stores = {
      ...world.ports.stores,
      // The claim ends without effect just after it was read.
      chainTransactions: {
        ...world.ports.stores.chainTransactions,
        async get(id) {
          const found = await world.stores.chainTransactions.get(id);
          await world.stores.trips.change("sandbox", link.tripId, { pending: undefined });
          return found;
        },
      },
    };
    const { chainId } = world.ports.chain;
    const sneaky = claimTrip(
      { ...world.ports, stores: withoutClaim },
      { ...link, guestWallet, chainId, waitMilliseconds: 0 },
    );
    await expect(sneaky).rejects.toEqual(failing("trip_in_progress"));
    await expect(world.claim({ ...link, guestWallet })).rejects.toEqual(failing("claim_code_required"));
    expect(await listClaims(link.tripId)).toEqual(claims);
  });
});

describe("a claim is refused", () => {
  it("while the budget has not arrived", async () => {
    const callId = await world.newCall(world.tenant.id);
    await expect(world.prefund({ callId })).rejects.toEqual(failing("transfer_in_progress"));
    const [stored] = await world.db
      .selectFrom("trip")
      .select(["tripId", "codeNonce"])
      .where("state", "=", "funding")
      .execute();
    if (stored === undefined) throw new Error("there is no trip");
    const { tripId, codeNonce } = stored;
    const { claimKeys } = world.ports;
    const claimCode = claimKeys.claimCode(codeNonce);
    const claim = () =>
      world.claim({ tripId, linkSecret: claimKeys.linkSecret(codeNonce), guestWallet: stranger(), claimCode });
    await expect(claim()).rejects.toEqual(failing("trip_not_funded"));
    await world.drain();
    await expect(claim()).rejects.toEqual(failing("step_in_progress"));
  });

  it("for a trip of no tenant, another tenant, or another environment", async () => {
    const { tripId, linkSecret, claimCode } = await world.newTrip();
    const guestWallet = stranger();
    const request = { tripId, linkSecret, claimCode, guestWallet };
    await expect(world.claim({ ...request, tenantId: "tenant_of_somebody_else" })).rejects.toEqual(
      failing("trip_not_found"),
    );
    await expect(world.claim({ ...request, tripId: `0x${"7".repeat(64)}` })).rejects.toEqual(failing("trip_not_found"));
    const production = { ...world.ports, chain: { ...world.ports.chain, environment: "production" as const } };
    await expect(openClaim(production, request)).rejects.toEqual(failing("trip_not_found"));
    await expect(world.claim({ ...request, chainId: 1 })).rejects.toMatchObject({
      code: "wrong_chain",
      extra: { chainId: 5_042_002 },
    });
    const escrowAddress = world.ports.chain.tokens.USDC.address;
    await expect(world.claim({ ...request, escrowAddress })).rejects.toEqual(failing("invalid_input"));
    for (const contract of [world.ports.chain.tokens.USDC.address, world.ports.chain.escrow?.address]) {
      if (contract === undefined) throw new Error("there is no escrow");
      await expect(world.claim({ ...request, guestWallet: contract })).rejects.toEqual(failing("invalid_input"));
    }
    // Control: it was otherwise correct.
    await expect(world.claim({ ...request, tenantId: world.tenant.id })).rejects.toEqual(failing("step_in_progress"));
  });
});

describe("a prefunding whose caller did not learn the outcome", () => {
  it("is not repeated under the same key, and then shows the secrets that were not shown yet", async () => {
    const key = "tuesday";
    const first = await world.newCall(world.tenant.id, key);
    const before = await world.balanceOnChain();
    const trips = async () => (await world.db.selectFrom("trip").select("tripId").execute()).length;
    const tripsBefore = await trips();
    const request = { budget: 25n * UNIT, details: { guestName: "Ana" }, guestEmail: "ana@example.com" };
    await expect(world.prefund({ ...request, callId: first })).rejects.toEqual(failing("transfer_in_progress"));
    const again = async (change: object = {}) =>
      world.prefund({ ...request, ...change, callId: await world.newCall(world.tenant.id, key) });
    await expect(again()).rejects.toEqual(failing("transfer_in_progress"));
    const others = [
      { budget: 26n * UNIT },
      { expiresInDays: 31 },
      { requiresCode: false },
      { details: { guestName: "Eva" } },
      { details: {} },
      { guestEmail: "eva@example.com" },
      { guestEmail: undefined },
    ];
    for (const other of others) await expect(again(other)).rejects.toEqual(failing("idempotency_mismatch"));
    await world.drain();
    const answers = await Promise.all(Array.from({ length: 4 }, () => again()));
    const [answer] = answers;
    expect(answer).toMatchObject({ kind: "replayed", firstCallId: first });
    expect(answer?.result.guestLink).toMatch(new RegExp(`^${APP_ORIGIN}/claim/0x[0-9a-f]{64}#[\\w-]{43}$`));
    expect(answer?.result.claimCode).toMatch(/^\d{6}$/);
    expect(new Set(answers.map(({ result }) => JSON.stringify(result))).size).toBe(1);
    expect(await trips()).toBe(tripsBefore + 1);
    expect(await world.balanceOnChain()).toBe(before - 25n * UNIT);
    // The stored result has neither.
    const { effect, result } = await world.callEnd(first);
    expect(effect).toBe("done");
    const shownOnce = "shown once, and not stored";
    expect(result).toMatchObject({ tripId: answer?.result.tripId, guestLink: shownOnce, claimCode: shownOnce });
  });

  it("leaves nothing behind if there is not enough money", async () => {
    const before = await world.db.selectFrom("trip").select("tripId").execute();
    await expect(world.prefund({ budget: 1_000_000n * UNIT })).rejects.toEqual(failing("insufficient_balance"));
    expect(await world.db.selectFrom("trip").select("tripId").execute()).toEqual(before);
  });
});
