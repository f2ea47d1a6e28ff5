import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { runInOrder, type Tool } from "../src/commands/gen/run-in-order.ts";
import { catalog } from "../src/contributions.ts";
import { formatDecimal, parseDecimal } from "../src/domain/money.ts";
import { type CallPlan, EMPTY_PLAN, type Party, REPEATED_PLAN } from "../src/kernel/contracts/call-plan.ts";
import { defineGate } from "../src/kernel/contracts/gate.ts";
import { startTestService, type TestService } from "./support/service.ts";

/** Compares a call's plan, as a gate sees it, with the effects that the call then reports. */

// Every example runs, one after the other.
vi.setConfig({ hookTimeout: 240_000 });

interface Planned {
  plan: CallPlan;
  args: Readonly<Record<string, unknown>>;
  result: Readonly<Record<string, unknown>>;
  /** The answer of preview_call just before, and the actual cost of the call. */
  preview: Readonly<Record<string, unknown>>;
  priceMicroUsdc: unknown;
}

let service: TestService;
const seen: { name: string; plan: CallPlan }[] = [];
const planned = new Map<string, Planned>();

const recorder = defineGate({
  name: "recorder",
  async check({ tool: { name } }, plan) {
    expect(await plan()).toBe(await plan());
    seen.push({ name, plan: await plan() });
  },
});

/** Everything that a call stores which does anything. */
async function countTraces() {
  const tables = [
    "booking",
    "servicing_action",
    "trip",
    "escrow_booking",
    "validation",
    "feedback",
    "call",
    "chain_transaction",
  ];
  const counts = tables.map((name) => `(select count(*) from ${name} where tenant_id = $1)::int as ${name}`);
  return await service.sql(`select ${counts.join(", ")}`, [service.tenantId]);
}

async function preview(tool: string, args: object): Promise<Readonly<Record<string, unknown>>> {
  const before = await countTraces();
  const answer = await service.call("preview_call", { tool, args });
  expect(answer.status, `${tool}: ${answer.text}`).toBe(200);
  expect(await countTraces(), tool).toEqual(before);
  return Object(answer.body.result);
}

async function call(tool: Tool, args: object): Promise<unknown> {
  const previewed = await preview(tool.name, args);
  const answer = await service.call(tool.name, args);
  expect(answer.status, `${tool.name}: ${answer.text}`).toBe(200);
  const { result } = answer.body;
  // A preview asks the gates about what it tries, and a run calls further tools, after they were asked about themselves.
  const plan = seen.findLast(({ name }) => name === tool.name)?.plan;
  if (plan === undefined) throw new Error("no gate was asked");
  planned.set(tool.name, {
    plan,
    args: { ...args },
    result: Object(result),
    preview: previewed,
    priceMicroUsdc: answer.body.priceMicroUsdc,
  });
  // Purchases are ticketed a moment later, which nobody waits for.
  const tick = { method: "POST", headers: { "content-type": "application/json" }, body: '{"advanceSeconds":2}' };
  if (tool.effect === "spend") await fetch(`${service.supplierUrl}/_sandbox/tick`, tick);
  return result;
}

beforeAll(async () => {
  service = await startTestService({}, { decorate: { gates: (gates) => [...gates, recorder] } });
  await runInOrder(catalog.entries, Temporal.Now.plainDateISO("UTC"), call);
});
afterAll(() => service?.[Symbol.asyncDispose]());

function plannedBy(name: string): Planned {
  const one = planned.get(name);
  if (one === undefined) throw new Error(`${name} was not called`);
  return one;
}

const usdc = (amount: unknown, from: Party, to: unknown, part?: string) => ({
  token: "USDC",
  amount: parseDecimal(String(amount)),
  from,
  to: String(to).toLowerCase(),
  ...(part === undefined ? {} : { part }),
});
const later = (...movement: Parameters<typeof usdc>) => ({ ...usdc(...movement), isLater: true });

/** The supplier decides the price; the plan has that of the offer or the quote. */
const bookingPays = ({ chargedUsdc }: Planned["result"]) => ({
  ...usdc(chargedUsdc, "treasury", "collection"),
  amount: undefined,
  expected: parseDecimal(String(chargedUsdc)),
});

/** By tool: what moves according to its arguments and its answer. */
const movements: Readonly<Record<string, (one: Planned) => readonly object[]>> = {
  send_tokens: ({ args }) => [usdc(args.amount, "treasury", args.to)],
  settle_split: ({ args, result }) => [
    usdc(result.supplierUsdc, "treasury", args.supplier, "cost"),
    usdc(result.serviceFeeUsdc, "treasury", "collection", "service_fee"),
  ],
  // The pool decides what it pays.
  swap_tokens: ({ args }) => [
    usdc(args.amount, "treasury", "swap_pool"),
    { token: "EURC", amount: undefined, from: "swap_pool", to: "treasury" },
  ],
  prefund_trip: ({ result }) => [usdc(result.budgetUsdc, "treasury", "trip_budget")],
  reserve_booking: ({ result }) => [usdc(result.reservedUsdc, "trip_budget", "booking_reservation")],
  commit_booking: ({ args, result }) => [
    later(result.vendorAmountUsdc, "booking_reservation", args.vendorAddress, "cost"),
    later(result.feeAmountUsdc, "booking_reservation", "treasury", "markup"),
  ],
  confirm_booking: ({ args, result }) => [
    later(result.costUsdc, "booking_reservation", args.vendorAddress, "cost"),
    later(result.markupUsdc, "booking_reservation", "treasury", "markup"),
    later(result.serviceTakeUsdc, "booking_reservation", "collection", "service_fee"),
  ],
  cancel_booking: ({ result }) => [usdc(result.refundedUsdc, "booking_reservation", "treasury")],
  release_reservation: ({ result }) => [usdc(result.returnedUsdc, "booking_reservation", "trip_budget")],
  log_agent_action: ({ result }) => [usdc(result.feeUsdc, "trip_budget", "treasury")],
  book_flight: ({ result }) => [bookingPays(result)],
  book_stay: ({ result }) => [bookingPays(result)],
  confirm_order_change: ({ result }) => [usdc(result.chargedUsdc, "treasury", "collection")],
  confirm_cancel_order: ({ result }) => [usdc(result.refundedUsdc, "collection", "treasury")],
  confirm_flight: () => [],
};

describe("the plan of a call", () => {
  it.each(Object.keys(movements))("%s says which money moves, as its answer does", (name) => {
    const one = plannedBy(name);
    expect(one.plan.movements).toEqual(movements[name]?.(one));
  });

  it("settle_booking pays out what was committed, and gives back the rest", () => {
    const { plan, result } = plannedBy("settle_booking");
    const { vendorAddress } = plannedBy("commit_booking").args;
    expect(plan.movements[0]).toEqual(usdc(result.vendorPaidUsdc, "booking_reservation", vendorAddress, "cost"));
    const total = [result.vendorPaidUsdc, result.feePaidUsdc, result.refundedUsdc].map((text) =>
      parseDecimal(String(text)),
    );
    const sum = (amounts: readonly (bigint | undefined)[]) =>
      amounts.reduce<bigint>((all, one) => all + (one ?? 0n), 0n);
    expect(sum(plan.movements.map(({ amount }) => amount))).toBe(sum(total));
    expect(plan.irreversible).toEqual([{ what: "the booking is paid out", undoableUntil: undefined }]);
  });

  it("names the hash of what is bought, where it is known", () => {
    const hashes = ["commit_booking", "confirm_booking", "confirm_flight"].map(
      (name) => plannedBy(name).plan.boughtHash,
    );
    expect(hashes).toEqual(["17", "18", "19"].map((byte) => `0x${byte.repeat(32)}`));
  });

  it("is there for every spend, says what becomes final, and is empty for reads", () => {
    for (const { tool } of catalog.entries) {
      const { plan } = plannedBy(tool.name);
      if (tool.effect === "read") expect(plan, tool.name).toBe(EMPTY_PLAN);
      if (tool.effect === "spend" && tool.name !== "confirm_flight") expect(plan, tool.name).not.toBe(EMPTY_PLAN);
    }
    for (const name of ["send_tokens", "settle_split", "book_flight", "book_stay", "confirm_cancel_order"]) {
      expect(plannedBy(name).plan.irreversible, name).toHaveLength(1);
    }
    for (const name of ["prefund_trip", "reserve_booking", "commit_booking"]) {
      expect(plannedBy(name).plan.irreversible, name).toEqual([]);
    }
  });

  it("is what preview_call has said of every tool before its call, with the price that was paid", () => {
    const shown = ({ movements, irreversible }: CallPlan) => ({
      movements: movements.map(({ token, expected, amount = expected, from, to, part = null, isLater = false }) => ({
        token,
        from,
        to,
        part,
        isLater,
        amount: amount === undefined ? null : formatDecimal(amount),
      })),
      irreversible: irreversible.map(({ what }) => expect.objectContaining({ what })),
    });
    for (const { tool } of catalog.entries) {
      const { plan, preview, priceMicroUsdc } = plannedBy(tool.name);
      expect(preview, tool.name).toMatchObject({ accepted: true, problem: null, priceMicroUsdc, ...shown(plan) });
    }
  });

  it("moves nothing for what was done before, or will be refused", async () => {
    for (const name of ["book_flight", "book_stay", "confirm_order_change", "confirm_cancel_order"]) {
      await service.call(name, plannedBy(name).args);
      expect(seen.at(-1)?.plan, name).toMatchObject(REPEATED_PLAN);
    }
    await service.call("settle_booking", plannedBy("settle_booking").args);
    expect(seen.at(-1)?.plan).toBe(EMPTY_PLAN);
    const { args } = plannedBy("confirm_booking");
    await service.call("confirm_booking", { ...args, bookingId: `0x${"00".repeat(32)}` });
    expect(seen.at(-1)?.plan).toMatchObject({ ...EMPTY_PLAN, refusal: { code: "booking_not_found" } });
  });
});
