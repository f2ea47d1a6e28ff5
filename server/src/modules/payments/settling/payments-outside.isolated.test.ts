import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { openPaymentWorld, type PaymentWorld } from "../../../../test/support/payment-world.ts";
import { sandboxChain } from "../../../../test/support/sandbox-chain.ts";
import { Failure } from "../../../domain/errors.ts";
import type { SignedPayment } from "../../../domain/payments.ts";
import type { Facilitator, FacilitatorSettlement } from "../../../ports/facilitator.ts";

let world: PaymentWorld;
beforeAll(async () => {
  world = await openPaymentWorld();
});
afterEach(() => void vi.restoreAllMocks());
afterAll(() => world[Symbol.asyncDispose]());

const PRICE = 2_000n;
const HASH = `0x${"7".repeat(64)}` as const;
const refusalReason = (error: { code?: unknown; extra?: Record<string, unknown> }) =>
  error.extra?.serviceReason ?? error.extra?.reason ?? error.code;

/** A third-party facilitator that does one thing at a time, in order. */
function facilitatorThat(...acts: ((signed: SignedPayment) => Promise<FacilitatorSettlement>)[]) {
  let asked = 0;
  const facilitator: Facilitator = {
    chain: sandboxChain,
    verify: (signed, terms) => world.settling.facilitator.verify(signed, terms),
    async settle(signed) {
      const act = acts[Math.min(asked, acts.length - 1)];
      asked += 1;
      if (act === undefined) throw new Error("a facilitator does something");
      return await act(signed);
    },
  };
  const parts = {
    facilitatorFor: () => facilitator,
    pause: () => new Promise<void>((resolve) => setImmediate(resolve)),
  };
  return { parts, asked: () => asked };
}

function passAnHour(): void {
  const now = performance.now.bind(performance);
  vi.spyOn(performance, "now").mockImplementation(() => now() + 3_600_000);
}

const settles = async (signed: SignedPayment): Promise<FacilitatorSettlement> => {
  await world.broadcast(signed);
  return { kind: "sent", transactionHash: HASH };
};
const losesItsAnswer = async (signed: SignedPayment): Promise<FacilitatorSettlement> => {
  await world.broadcast(signed);
  throw new Failure("payment_unavailable");
};
const isDown = async (): Promise<FacilitatorSettlement> => {
  throw new Failure("payment_unavailable");
};
const refuses = async (): Promise<FacilitatorSettlement> => ({ kind: "refused", reason: "insufficient_funds" });
const claimsFalsely = async (): Promise<FacilitatorSettlement> => ({ kind: "sent", transactionHash: HASH });

test.each([
  ["that settles", [settles], 1],
  ["that is down and comes back", [isDown, isDown, settles], 3],
  ["that fails after it has broadcast", [losesItsAnswer], 1],
  ["that refuses once", [refuses, settles], 2],
])("a facilitator %s has the payment fetched once, and the chain says by which transaction", async (_, acts, times) => {
  const { parts, asked } = facilitatorThat(...acts);
  const payer = await world.newPayer(PRICE);
  const paid = await world.pay(world.openProcess("proc_a", parts), await payer.sign(PRICE));
  expect(paid).toMatchObject({ price: PRICE, replayed: false });
  expect(paid.receipt?.transactionHash).not.toBe(HASH);
  expect(asked()).toBe(times);
  expect(await payer.balance()).toBe(0n);
  expect(await world.books(payer)).toMatchObject({ states: ["settled"], recorded: PRICE });
});

test("a facilitator's final refusal leaves a receivable, which the same signature pays later", async () => {
  const payer = await world.newPayer(PRICE);
  const signed = await payer.sign(PRICE);
  const refusing = facilitatorThat(refuses);
  expect(await world.pay(world.openProcess("proc_a", refusing.parts), signed).catch(refusalReason)).toBe(
    "invalid_exact_evm_transaction_failed",
  );
  expect(await world.books(payer)).toMatchObject({ states: ["receivable"], receivables: 1 });
  await world.failAtOnce(payer);
  const settling = facilitatorThat(settles);
  const run = () => Promise.reject(new Error("ran twice"));
  expect(await world.pay(world.openProcess("proc_a", settling.parts), signed, { run })).toMatchObject({
    replayed: true,
  });
  expect(await world.books(payer)).toMatchObject({ states: ["settled"], receivables: 0, recorded: PRICE });
});

test("a facilitator's word alone is not believed: the call is pending, and a watch finds the end", async () => {
  const payer = await world.newPayer(PRICE);
  const signed = await payer.sign(PRICE);
  const lying = facilitatorThat(claimsFalsely);
  let looks = 0;
  // The call times out at the third look, however long the looks took.
  const pause = async () => {
    looks += 1;
    if (looks === 3) passAnHour();
  };
  const process = world.openProcess("proc_a", { ...lying.parts, pause });
  expect(await world.pay(process, signed).catch(refusalReason)).toBe("settlement_pending");
  vi.restoreAllMocks();
  expect([looks, lying.asked()]).toEqual([3, 1]);
  expect(await world.books(payer)).toMatchObject({ states: ["earned"], open: PRICE, recorded: 0n });
  const settling = facilitatorThat(settles);
  expect(await world.openProcess("proc_b", settling.parts).watch()).toBe(1);
  expect(await world.books(payer)).toMatchObject({ states: ["settled"], open: 0n, recorded: PRICE });
  const again = await world.pay(process, signed);
  expect(again).toMatchObject({ replayed: true, price: PRICE });
});

test("a payer's extra fields reach the facilitator even after a restart, and are then deleted", async () => {
  const payer = await world.newPayer(PRICE);
  const beside = { resource: { url: "https://example.com/tools/x" }, extensions: { theirs: { info: "a\u0000b" } } };
  const signed = { ...(await payer.sign(PRICE)), beside };
  const told: unknown[] = [];
  const hears = (act: typeof settles) => (payment: SignedPayment) => {
    told.push(payment.beside);
    return act(payment);
  };
  const pause = async () => passAnHour();
  const dying = world.openProcess("proc_a", { ...facilitatorThat(hears(isDown)).parts, pause });
  expect(await world.pay(dying, signed).catch(refusalReason)).toBe("settlement_pending");
  vi.restoreAllMocks();
  expect(await world.openProcess("proc_b", facilitatorThat(hears(settles)).parts).watch()).toBe(1);
  expect(told).toEqual([beside, beside]);
  expect(await world.books(payer)).toMatchObject({ states: ["settled"], rows: [{ beside: null }] });
});

test("a facilitator that cannot decide takes nothing", async () => {
  const payer = await world.newPayer(PRICE);
  const signed = await payer.sign(PRICE);
  const verify = () => Promise.reject(new Failure("payment_unavailable"));
  const facilitator: Facilitator = { chain: sandboxChain, verify, settle: undefined };
  const process = world.openProcess("proc_a", { facilitatorFor: () => facilitator });
  expect(await world.pay(process, signed).catch(refusalReason)).toBe("payment_unavailable");
  expect(await world.books(payer)).toMatchObject({ states: [], open: 0n });
});

test.each([
  ["invalid_network", { network: "eip155:1" }],
  ["invalid_asset", { asset: `0x${"9".repeat(40)}` }],
  ["invalid_exact_evm_payload_recipient_mismatch", { payTo: `0x${"9".repeat(40)}` }],
  ["invalid_exact_evm_payload_authorization_value_mismatch", { amount: PRICE - 1n }],
  ["invalid_exact_evm_payload_authorization_value_mismatch", { amount: PRICE + 1n }],
  ["invalid_exact_evm_payload_authorization_valid_after", { validAfter: 2n ** 40n }],
  ["invalid_exact_evm_payload_authorization_valid_before", { validBefore: BigInt(Math.floor(Date.now() / 1000) + 20) }],
] as const)("%s: what does not fit the terms takes nothing", async (reason, change) => {
  const payer = await world.newPayer(0n);
  const signed = { ...(await payer.sign(PRICE)), ...change };
  const terms = world.buildTerms(PRICE);
  expect(await world.pay(world.openProcess("proc_a"), signed, { terms }).catch(refusalReason)).toBe(reason);
  expect(await world.books(payer)).toMatchObject({ states: [], open: 0n });
});
