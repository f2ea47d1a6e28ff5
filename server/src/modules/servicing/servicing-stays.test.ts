import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openServicingWorld, type ServicedOrder, type ServicingWorld } from "../../../test/support/servicing-world.ts";
import { systemRandom } from "../../domain/ids.ts";
import type { OrderRecord } from "../orders/orders.ts";
import { quoteStayCancellation, refundAt } from "./cancel-stay.ts";
import { confirmCancellation } from "./confirm-cancellation.ts";

/** Cancellations of stays with our own quotes, by policy and clock. */
let world: ServicingWorld;
beforeAll(async () => {
  world = await openServicingWorld();
});
afterAll(() => world.close());

const policy = {
  refundable: true,
  timeline: [
    { before: "2027-01-19T12:00:00Z", refundAmount: "120.00", currency: "USD" },
    { before: "2026-12-20T12:00:00Z", refundAmount: "300.00", currency: "USD" },
  ],
};

describe("the refund of a cancellation", () => {
  it.each([
    ["2026-12-20T11:59:59Z", "300.00", "2026-12-20T12:00:00Z"],
    ["2026-12-20T12:00:00Z", "120.00", "2027-01-19T12:00:00Z"],
    ["2027-01-19T12:00:00Z", "0.00", undefined],
  ])("at %s is %s, until %s", (at, amount, until) => {
    const refund = refundAt(policy, Temporal.Instant.from(at), "USD");
    expect([refund.amount, refund.until?.toString()]).toEqual([amount, until]);
  });

  it("is nothing without a policy", () => {
    const never = { refundable: false, timeline: [] };
    expect(refundAt(never, world.clock.now(), "USD")).toEqual({ amount: "0.00", currency: "USD", until: undefined });
  });
});

async function quote({ ports, order }: ServicedOrder) {
  const record: OrderRecord = { ...order, kind: "stay" };
  const { servicingQuotes } = world.stores;
  const { stayBookings } = ports;
  const asking = { stayBookings, servicingQuotes, clock: world.clock, random: systemRandom };
  return (await quoteStayCancellation(asking, record)).quote;
}

describe("a quote", () => {
  it("is valid until the next step of the policy, and no longer", async () => {
    const stay = await world.newOrder();
    const { id, refundAmount, expiresAt } = await quote(stay);
    expect([refundAmount, expiresAt?.toString()]).toEqual(["300.00", "2026-12-20T12:00:00Z"]);
    world.clock.advance({ hours: 24 * 40 });
    await expect(stay.confirm(id)).rejects.toMatchObject({ code: "cancellation_expired" });
    expect(stay.servicing.effects.stay).toBe(0);
    expect(await quote(stay)).toMatchObject({ refundAmount: "120.00" });
  });

  it("belongs to its tenant", async () => {
    const stay = await world.newOrder();
    const { id } = await quote(stay);
    const call = { caller: { tenantId: "tnt_other", environment: "sandbox" }, callId: "call_other" } as const;
    await expect(confirmCancellation(stay.ports, call, id)).rejects.toMatchObject({ code: "cancellation_not_found" });
    await expect(stay.confirm("scq_unheard_of")).rejects.toMatchObject({ code: "cancellation_not_found" });
    expect(stay.servicing.effects.stay).toBe(0);
  });

  it("for a stay that another quote cancelled gets that result", async () => {
    const stay = await world.newOrder();
    const [first, second] = [await quote(stay), await quote(stay)];
    const { result } = await stay.confirm(first.id);
    expect(result).toMatchObject({ kind: "stay", cancellationId: first.id, refundTo: "balance" });
    expect(await stay.confirm(second.id)).toMatchObject({ kind: "replayed", result });
    expect(stay.servicing.effects.stay).toBe(1);
    await expect(quote(stay)).rejects.toMatchObject({ code: "already_cancelled" });
  });

  it("is refused with the codes of orders if the supplier does not cancel", async () => {
    const stay = await world.newOrder();
    const { id } = await quote(stay);
    stay.servicing.faults.push("not_cancellable");
    await expect(stay.confirm(id)).rejects.toMatchObject({ code: "order_not_cancellable" });
    expect(await stay.audit()).toMatchObject({ states: ["failed"], lost: 0n, times: 0 });
  });
});
