import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { requireResult } from "../../../test/support/treasury.ts";
import { formatDecimal, parseDecimal } from "../../domain/money.ts";
import type { Limits } from "./spend-limits.ts";

/** A price that only the supplier can confirm: a preview judges the shown price, the call the actual one. */

let service: TestService;
beforeAll(async () => {
  service = await openSharedService();
});
afterAll(() => service?.[Symbol.asyncDispose]());

const Priced = z.object({ id: z.string(), totalAmount: z.string() });

const day = (days: number) => Temporal.Now.plainDateISO("UTC").add({ days }).toString();

interface Booking {
  tool: string;
  args: object;
  price: bigint;
}

async function flight(): Promise<Booking> {
  const search = { origin: "LHR", destination: "JFK", departureDate: day(50) };
  const [offer] = z
    .object({ offers: z.array(Priced) })
    .parse(requireResult(await service.call("search_flights", search))).offers;
  return booking("book_flight", { offerId: offer?.id }, offer);
}

async function stay(): Promise<Booking> {
  const search = { location: "Lisbon", checkInDate: day(40), checkOutDate: day(42), guests: 1 };
  const found = Object(requireResult(await service.call("search_hotels", search)));
  const rateId = found.accommodations[0].cheapestRate.id;
  const quote = Priced.parse(requireResult(await service.call("quote_stay", { rateId })));
  const guests = [{ givenName: "Amelia", familyName: "Hart" }];
  const args = { quoteId: quote.id, email: "amelia@example.com", phoneNumber: "+442080160508", guests };
  return booking("book_stay", args, quote);
}

function booking(tool: string, args: object, priced: z.infer<typeof Priced> | undefined): Booking {
  const price = parseDecimal(priced?.totalAmount ?? "");
  if (price === undefined) throw new Error("nothing was found that has a price");
  return { tool, args, price };
}

const preview = async ({ tool, args }: Booking) =>
  Object(requireResult(await service.call("preview_call", { tool, args })));

const setLimits = (change: Partial<Limits>) =>
  service.operator(({ spending: { spendLimits } }) =>
    spendLimits.set(service.tenantId, "sandbox", undefined, change, "test"),
  );

async function setBudget(body: object): Promise<void> {
  const answer = await service.send("/api/budgets", {
    method: "PUT",
    headers: { authorization: `Bearer ${service.operatorKey}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(answer.status, answer.text).toBe(200);
}

async function expectSameRefusal(asked: Booking, refusal: object): Promise<void> {
  const { accepted, problem, movements } = await preview(asked);
  const { status, body } = await service.call(asked.tool, asked.args);
  const { traceId: _, title: __, type: ___, status: ____, ok: _____, ...said } = body;
  expect({ accepted, problem, movements, status }).toEqual({
    accepted: false,
    problem: said,
    movements: [],
    status: 402,
  });
  expect(said).toMatchObject({ code: "spend_limit_exceeded", neededUsdc: formatDecimal(asked.price), ...refusal });
}

describe.each([
  ["a flight", flight],
  ["a stay", stay],
] as const)("the preview of %s", (_name, find) => {
  test("is refused like the call if one call's limit, the day's or a budget's rest is below its price", async () => {
    const asked = await find();
    const tooLittle = asked.price - 1n;
    await setLimits({ perCall: tooLittle });
    await expectSameRefusal(asked, { limit: "perCall", limitUsdc: formatDecimal(tooLittle) });
    const used = Object(requireResult(await service.call("read_account", {}))).limits.tenant.perDay.usedUsdc;
    await setLimits({ perCall: undefined, perDay: (parseDecimal(used) ?? 0n) + tooLittle });
    await expectSameRefusal(asked, { limit: "perDay", leftUsdc: formatDecimal(tooLittle) });
    await setLimits({ perDay: undefined });
    const budget = { budgetId: "mine", travelerIds: ["user_demo"] };
    await setBudget({ ...budget, amountUsdc: formatDecimal(tooLittle) });
    await expectSameRefusal(asked, { limit: "budget", leftUsdc: formatDecimal(tooLittle) });
    await setBudget({ ...budget, amountUsdc: formatDecimal(asked.price), endsOn: "2020-01-01" });
  });

  test("tells the rest of each after the booking, and is accepted if they are just enough", async () => {
    const asked = await find();
    const most = formatDecimal(asked.price);
    await setLimits({ perCall: asked.price });
    await setBudget({ budgetId: `just_${asked.tool}`, amountUsdc: most, travelerIds: ["user_demo"] });
    const said = await preview(asked);
    expect(said).toMatchObject({ accepted: true, movements: [{ amount: most }] });
    expect(said.allowances).toEqual(
      expect.arrayContaining([
        { name: "tenant perCall", token: "USDC", left: most, leftAfter: most },
        { name: `budget just_${asked.tool}`, token: "USDC", left: most, leftAfter: "0.00" },
      ]),
    );
    expect(said.note).not.toContain("price is not known");
    expect((await service.call(asked.tool, asked.args)).status).toBe(200);
    await setLimits({ perCall: undefined });
    await setBudget({
      budgetId: `just_${asked.tool}`,
      amountUsdc: most,
      travelerIds: ["user_demo"],
      endsOn: "2020-01-01",
    });
  });

  test("says that it was not compared with them if the tenant was never shown the price", async () => {
    const asked = await find();
    const id = Object(asked.args).offerId ?? Object(asked.args).quoteId;
    await service.sql("delete from seen_offer where tenant_id = $1 and offer_id = $2", [service.tenantId, id]);
    await setLimits({ perCall: asked.price - 1n });
    const said = await preview(asked);
    const unknown = { name: "tenant perCall", token: "USDC", left: formatDecimal(asked.price - 1n), leftAfter: null };
    expect(said.allowances).toContainEqual(unknown);
    expect(said.note).toContain("price is not known here");
    expect((await service.call(asked.tool, asked.args)).body).toMatchObject({ code: "spend_limit_exceeded" });
    await setLimits({ perCall: undefined });
  });
});
