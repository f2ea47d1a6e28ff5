import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { absent } from "../../../../test/support/absent-port.ts";
import { silentLog } from "../../../../test/support/identity.ts";
import { openPaymentWorld, type PaymentWorld, unlimited } from "../../../../test/support/payment-world.ts";
import { readConfig } from "../../../config/config.ts";
import { Failure } from "../../../domain/errors.ts";
import type { SignedPayment } from "../../../domain/payments.ts";
import { CostlyCalls } from "../../../kernel/call/costly-calls.ts";
import { createKernel } from "../../../kernel/call/invoke.ts";
import { createCatalog } from "../../../kernel/contracts/catalog.ts";
import { defineGate } from "../../../kernel/contracts/gate.ts";
import type { Kernel } from "../../../kernel/contracts/invocation.ts";
import { defineAnyTool } from "../../../kernel/contracts/tool.ts";
import type { Ports } from "../../../kernel/contracts/whole.ts";

/** The order of a signed call's stages. Requests are counted at the chain's RPC and at the supplier's port. */

const PRICE = 1_000n;

let world: PaymentWorld;
let payer: Awaited<ReturnType<PaymentWorld["newPayer"]>>;
let kernel: Kernel;
let process: ReturnType<PaymentWorld["openProcess"]>;
const asked = { supplier: 0 };

const probe = defineAnyTool({
  name: "probe_stages",
  title: "Probe (stages)",
  summary: "For tests.",
  area: "trip",
  effect: "read",
  price: PRICE,
  payableWithoutKey: true,
  keyOnlyInputs: ["ownRecord"],
  uses: ["flights"],
  input: z.strictObject({ text: z.string(), ownRecord: z.string().optional() }),
  output: z.object({ text: z.string() }),
  errors: {},
  example: () => ({ text: "hello" }),
  async run({ text }, { flights }) {
    flights.provenance();
    return { text };
  },
});

const gate = defineGate({
  name: "shut",
  check({ args }) {
    if (Reflect.get(Object(args), "text") === "shut") throw new Failure("conflict");
  },
});

beforeAll(async () => {
  world = await openPaymentWorld();
  payer = await world.newPayer(10n * PRICE);
  process = world.openProcess("proc_a");
  const flights = absent("flights", {
    provenance() {
      asked.supplier += 1;
      return { source: "test", sourceLevel: "embedded", asOf: "2026-11-22T00:00:00Z" };
    },
  });
  const ports: Ports = Object.assign(Object.create(null), { flights });
  kernel = createKernel({
    catalog: createCatalog([probe]),
    charge: { paidBy: "tenant", ...refusing },
    gates: [gate],
    portsFor: () => ports,
    hasDuties: () => Promise.resolve(false),
    clock: world.clock,
    log: silentLog,
    translate: (error) => error,
    recordFailedCall: () => undefined,
    costlyCalls: new CostlyCalls(readConfig({})),
  });
});
afterAll(() => world[Symbol.asyncDispose]());
beforeEach(() => {
  asked.supplier = 0;
});

/** No one pays by key here. */
const nobody = () => Promise.reject(new Error("a payment pays for every call"));
const refusing = { reserve: nobody, capture: nobody, release: nobody };

/** The call's outcome, and how often the chain and the supplier were asked meanwhile. */
async function call(signed: SignedPayment, args: unknown) {
  const { calls } = world.devChain;
  const before = calls.length;
  const principal = { payer: signed.payer, environment: "sandbox" } as const;
  const answer = await kernel
    .invoke({
      toolName: probe.name,
      args,
      principal,
      charge: process.charges.open({ payment: signed, terms: world.buildTerms(PRICE), principal, limits: unlimited }),
      confirmPrincipal: async () => undefined,
      userId: undefined,
      surface: "paid",
      traceId: "trace",
      idempotencyKey: undefined,
      gone: { signal: new AbortController().signal },
    })
    .catch((error: { code?: unknown }) => ({ refused: error.code }));
  return { answer, chain: calls.length - before, supplier: asked.supplier };
}

test("invalid arguments are refused before the chain or the supplier is asked", async () => {
  const signed = await payer.sign(PRICE);
  for (const args of [{}, { text: 7 }, { text: "a", more: 1 }, { text: "a", ownRecord: "mine" }, null]) {
    const { answer, ...counts } = await call(signed, args);
    expect(answer).toEqual({ refused: "invalid_input" });
    expect(counts).toEqual({ chain: 0, supplier: 0 });
  }
  expect(await world.books(payer)).toMatchObject({ states: [], open: 0n });
});

test("a call refused by a gate makes no outside requests", async () => {
  const { answer, ...counts } = await call(await payer.sign(PRICE), { text: "shut" });
  expect(answer).toEqual({ refused: "conflict" });
  expect(counts).toEqual({ chain: 0, supplier: 0 });
});

test("an invalid payment is refused before the supplier is asked", async () => {
  const signed = await payer.sign(PRICE);
  const { answer, chain, supplier } = await call({ ...signed, nonce: (await payer.sign(PRICE)).nonce }, { text: "a" });
  expect(answer).toEqual({ refused: "payment_invalid" });
  // Control: the payment is verified at the chain.
  expect(chain).toBeGreaterThan(0);
  expect(supplier).toBe(0);
});

test("a settled payment gets its stored answer again without any request, and with the same receipt", async () => {
  world.settling.submitter.start();
  const signed = await payer.sign(PRICE);
  const first = await call(signed, { text: "a" });
  expect(first).toMatchObject({ answer: { outcome: { ok: true }, replayed: false }, supplier: 1 });
  await world.settling.submitter.stop();
  const again = await call(signed, { text: "a" });
  const receipt = Reflect.get(first.answer, "receipt");
  expect(receipt).toMatchObject({ price: PRICE, payment: { payer: payer.address, amount: PRICE } });
  expect(again).toMatchObject({
    answer: { outcome: { ok: true, result: { text: "a" } }, replayed: true, receipt: { payment: receipt.payment } },
    chain: 0,
    supplier: 1,
  });
  expect(again.answer).toMatchObject({ receipt: { usageId: receipt.usageId, price: PRICE } });
});
