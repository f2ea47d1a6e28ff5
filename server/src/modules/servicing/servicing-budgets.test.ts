import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { openServicing, type Servicing } from "../../../test/support/servicing-service.ts";

/** Budgets for calls about orders, over dispatch. */
let world: Servicing;
beforeAll(async () => {
  world = await openServicing("shared");
});
afterAll(() => world.close());

const Customer = z.object({ customerUserId: z.string() });
const Budgets = z.object({ budgets: z.array(z.looseObject({ budgetId: z.string(), usedUsdc: z.string() })) });

const asOperator = (init: RequestInit = {}) =>
  world.service.send("/api/budgets", {
    ...init,
    headers: { authorization: `Bearer ${world.service.operatorKey}`, "content-type": "application/json" },
  });

async function setBudget(budget: { budgetId: string; amountUsdc: string; travelerIds: string[] }): Promise<void> {
  const answer = await asOperator({ method: "PUT", body: JSON.stringify(budget) });
  expect(answer.status, answer.text).toBe(200);
}

async function readUsed(budgetId: string) {
  const { budgets } = Budgets.parse((await asOperator()).body);
  return budgets.find((budget) => budget.budgetId === budgetId)?.usedUsdc;
}

/** A customer of the supplier for a new user of the tenant. */
async function newCompanion(userId: string, givenName: string): Promise<string> {
  await world.result("save_traveler", {
    userId,
    givenName,
    familyName: "Hart",
    bornOn: "1988-02-03",
    title: "ms",
    gender: "f",
    email: `${userId}@example.com`,
    phoneNumber: "+442080160509",
  });
  return Customer.parse(await world.result("ensure_flight_customer", { clerkUserId: userId })).customerUserId;
}

describe("the budget of a companion", () => {
  it("refuses an order change that it cannot pay, and counts one that it can", async () => {
    const companion = await newCompanion("budget-companion", "Carol");
    const { id: offerId } = await world.flexibleOffer();
    const order = await world.book({ offerId, additionalCustomerUserIds: [companion] });
    await world.issueTickets(order.orderId);
    const { changeId, due } = await world.selectChange(order);
    const confirm = () =>
      world.service.call("confirm_order_change", { changeId, payment: { type: "balance", ...due } });
    const budget = { budgetId: "companion", travelerIds: ["budget-companion"] };

    await setBudget({ ...budget, amountUsdc: "5" });
    const refused = await confirm();
    expect(refused.status, refused.text).toBe(402);
    expect(refused.body).toMatchObject({ limit: "budget", budgetId: "companion", leftUsdc: "5.00" });
    expect(refused.body.neededUsdc).toBe(due.amount);
    expect(await world.confirmedChanges(order.orderId)).toEqual([]);

    await setBudget({ ...budget, amountUsdc: due.amount });
    const changed = await confirm();
    expect(changed.status, changed.text).toBe(200);
    expect(await readUsed("companion")).toBe(due.amount);
    // A repetition is the same change and uses nothing.
    expect((await confirm()).headers.get("idempotent-replayed")).toBe("true");
    expect(await readUsed("companion")).toBe(due.amount);
  });
});
