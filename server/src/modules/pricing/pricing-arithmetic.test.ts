import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Failure } from "../../domain/errors.ts";
import { formatDecimal } from "../../domain/money.ts";
import { type BookingPrice, type BookingToPrice, priceBooking } from "../escrow/bookings/price-booking.ts";

const policy = {
  version: 3,
  markupBps: 500,
  floor: 2_000_000n,
  ceiling: 30_000_000n,
  serviceTakeBehavior: "add_to_customer",
} as const;
const deducting = { ...policy, serviceTakeBehavior: "deduct_from_markup" } as const;

type Outcome = { price: BookingPrice } | { refused: string; extra: unknown; detail: string };
type Pricer = (booking: BookingToPrice) => BookingPrice;

function attempt(booking: BookingToPrice, pricer: Pricer = priceBooking): Outcome {
  try {
    return { price: pricer(booking) };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { refused: error.code, extra: error.extra, detail: error.message };
  }
}

describe("the price of a booking", () => {
  it("adds the policy's markup and the service's take to the cost", () => {
    expect(priceBooking({ cost: 400_000_000n, policy })).toEqual({
      committed: { vendorAmount: 400_000_000n, markup: 20_000_000n, serviceFee: 4_000_000n },
      total: 424_000_000n,
      answer: { costUsdc: "400.00", markupUsdc: "20.00", serviceTakeUsdc: "4.00", totalUsdc: "424.00" },
      pricing: {
        policyVersion: 3,
        serviceTakeBehavior: "add_to_customer",
        costMicroUsdc: "400000000",
        askedMarkupMicroUsdc: "20000000",
        markupMicroUsdc: "20000000",
        serviceTakeMicroUsdc: "4000000",
        totalMicroUsdc: "424000000",
        ceilingMicroUsdc: "30000000",
        isOverCeiling: false,
      },
    });
  });

  it("takes the service's part from the markup if the policy says so", () => {
    const { committed, total, answer } = priceBooking({ cost: 400_000_000n, policy: deducting });
    expect(committed).toEqual({ vendorAmount: 400_000_000n, markup: 16_000_000n, serviceFee: 4_000_000n });
    expect(total).toBe(420_000_000n);
    expect(answer).toEqual({ costUsdc: "400.00", markupUsdc: "20.00", serviceTakeUsdc: "4.00", totalUsdc: "420.00" });
  });

  it.each([
    ["the caller's basis points instead of the policy's", { markupBps: 250 }, 10_000_000n],
    ["the caller's amount", { markup: 7_654_321n }, 7_654_321n],
    ["the floor instead of less", { markupBps: 0 }, 2_000_000n],
    ["the floor instead of a smaller amount", { markup: 1_999_999n }, 2_000_000n],
    ["the floor as it is", { markup: 2_000_000n }, 2_000_000n],
    ["the ceiling as it is", { markup: 30_000_000n }, 30_000_000n],
    ["more than the ceiling when it is acknowledged", { markup: 30_000_001n, acknowledged: 30_000_001n }, 30_000_001n],
  ])("has %s", (_name, given, markup) => {
    expect(priceBooking({ cost: 400_000_000n, policy, ...given }).committed.markup).toBe(markup);
  });

  it.each([
    [1n, 0n, 0n],
    [99n, 4n, 0n],
    [100n, 5n, 1n],
    [10_199n, 509n, 101n],
  ])("of a cost of %d rounds markup and take down, each by itself", (cost, markup, serviceFee) => {
    const open = { ...policy, floor: 0n, ceiling: undefined };
    expect(priceBooking({ cost, policy: open }).committed).toEqual({ vendorAmount: cost, markup, serviceFee });
  });

  it.each([undefined, 0n, 30_000_000n, 30_000_000n + 1n, 40_000_000n - 1n, 40_000_000n + 1n])(
    "with a markup over the ceiling needs an acknowledgement of exactly that markup, not of %d",
    (acknowledged) => {
      expect(attempt({ cost: 400_000_000n, markupBps: 1_000, acknowledged, policy })).toEqual({
        refused: "ceiling_exceeded",
        extra: { markupMicroUsdc: "40000000", ceilingMicroUsdc: "30000000" },
        detail: expect.stringContaining('"acknowledgedMicroUsdc": "40000000"'),
      });
    },
  );

  it.each([0n, 20_000_000n, 25_000_000n, 1_000_000_000n])(
    "under the ceiling is the same with a needless acknowledgement of %d",
    (acknowledged) => {
      const booking = { cost: 400_000_000n, policy };
      expect(priceBooking({ ...booking, acknowledged })).toEqual(priceBooking(booking));
    },
  );

  it("is refused if the markup does not cover the take deducted from it", () => {
    const low = { ...deducting, floor: 0n };
    expect(attempt({ cost: 400_000_000n, markup: 3_999_999n, policy: low })).toMatchObject({
      refused: "markup_below_service_take",
      extra: { markupMicroUsdc: "3999999", serviceTakeMicroUsdc: "4000000" },
    });
    expect(priceBooking({ cost: 400_000_000n, markup: 4_000_000n, policy: low }).committed.markup).toBe(0n);
    // The same markup covers itself if the customer pays the take.
    expect(priceBooking({ cost: 400_000_000n, markup: 0n, policy: { ...policy, floor: 0n } }).total).toBe(404_000_000n);
  });

  it("is invalid without a cost, or with two markups", () => {
    expect(() => priceBooking({ cost: 0n, policy })).toThrow("without a cost");
    expect(() => priceBooking({ cost: 1n, markup: 1n, markupBps: 1, policy })).toThrow("two markups");
  });
});

it("is explained with correct figures", () => {
  const page = readFileSync(new URL("../../../../docs/pricing.md", import.meta.url), "utf8");
  const [added, deducted] = [policy, deducting].map((one) => priceBooking({ cost: 400_000_000n, policy: one }));
  const row = (words: string, of: (price: BookingPrice | undefined) => string | undefined) =>
    `| ${words} | ${of(added)} | ${of(deducted)} |`;
  for (const line of [
    row("Cost, to the vendor", (price) => price?.answer.costUsdc),
    row("Markup: 5 %, over the floor of 2.00, under the ceiling of 30.00", (price) => price?.answer.markupUsdc),
    row("The service's take", (price) => price?.answer.serviceTakeUsdc),
    row("Total, out of the trip's budget", (price) => price?.answer.totalUsdc),
    row("What the tenant keeps", (price) => formatDecimal(price?.committed.markup ?? 0n)),
  ]) {
    expect(page).toContain(line);
  }
  const { markupBps, floor, ceiling } = policy;
  expect(page).toContain(`"bps":${markupBps}`);
  expect(page).toContain(`"floorMicroUsdc":"${floor}","ceilingMicroUsdc":"${ceiling}"`);
  const over = { cost: 400_000_000n, markupBps: 1_000, policy };
  expect(attempt(over)).toMatchObject({ refused: "ceiling_exceeded", extra: { markupMicroUsdc: "40000000" } });
  const { totalUsdc } = priceBooking({ ...over, acknowledged: 40_000_000n }).answer;
  expect(page).toContain(
    `With an \`acknowledgedMicroUsdc\` of \`40000000\`, it is committed for a total of ${totalUsdc}.`,
  );
});

/** The ceiling's relation to the requested markup matters more than its height, so both come from a small range. */
const bookings: fc.Arbitrary<BookingToPrice> = fc.oneof(fc.constant(2_000n), fc.constant(10n ** 15n)).chain((scale) =>
  fc
    .record({
      cost: fc.bigInt({ min: 1n, max: scale }),
      markupBps: fc.option(fc.integer({ min: 0, max: 10_000 }), { nil: undefined }),
      markup: fc.option(fc.bigInt({ min: 0n, max: scale }), { nil: undefined }),
      acknowledged: fc.option(fc.bigInt({ min: 0n, max: scale }), { nil: undefined }),
      isExact: fc.boolean(),
      policyBps: fc.integer({ min: 0, max: 10_000 }),
      floor: fc.bigInt({ min: 0n, max: scale / 4n }),
      above: fc.option(fc.bigInt({ min: 0n, max: scale / 2n }), { nil: undefined }),
      serviceTakeBehavior: fc.constantFrom("add_to_customer" as const, "deduct_from_markup" as const),
    })
    .map(({ cost, markupBps, markup, acknowledged, isExact, policyBps, floor, above, serviceTakeBehavior }) => ({
      cost,
      ...(markup === undefined ? { markupBps } : { markup }),
      acknowledged: isExact ? markup : acknowledged,
      policy: {
        version: 1,
        markupBps: policyBps,
        floor,
        ceiling: above === undefined ? undefined : floor + above,
        serviceTakeBehavior,
      },
    })),
);

/** An independent restatement of the rules. */
function holds(booking: BookingToPrice, pricer: Pricer): void {
  const { cost, policy, acknowledged } = booking;
  const outcome = attempt(booking, pricer);
  const take = cost / 100n;
  const asked = booking.markup ?? (cost * BigInt(booking.markupBps ?? policy.markupBps)) / 10_000n;
  const due = [asked, policy.floor].reduce((one, other) => (one > other ? one : other));
  const deducts = policy.serviceTakeBehavior === "deduct_from_markup";
  if (policy.ceiling !== undefined && due > policy.ceiling && acknowledged !== due) {
    expect(outcome).toMatchObject({ refused: "ceiling_exceeded" });
    return;
  }
  if (deducts && due < take) {
    expect(outcome).toMatchObject({ refused: "markup_below_service_take" });
    return;
  }
  if (!("price" in outcome)) throw new Error(`refused: ${outcome.refused}`);
  const { committed, total } = outcome.price;
  expect(committed.vendorAmount).toBe(cost);
  expect(committed.serviceFee).toBe(take);
  expect(committed.markup + (deducts ? take : 0n)).toBe(due);
  expect(total).toBe(committed.vendorAmount + committed.markup + committed.serviceFee);
  expect(total).toBe(cost + due + (deducts ? 0n : take));
}

describe("the rules of prices", () => {
  const check = (pricer: Pricer) =>
    fc.check(
      fc.property(bookings, (booking) => holds(booking, pricer)),
      { numRuns: 3_000 },
    );

  it("hold for any request under any policy", () => {
    expect(check(priceBooking).counterexample).toBeNull();
  });

  const broken: Record<string, Pricer> = {
    "ignores the ceiling": (booking) => priceBooking({ ...booking, policy: { ...booking.policy, ceiling: undefined } }),
    "takes any acknowledgement": (booking) => {
      const { policy, acknowledged } = booking;
      return acknowledged === undefined
        ? priceBooking(booking)
        : priceBooking({ ...booking, policy: { ...policy, ceiling: undefined } });
    },
    "cuts a markup to the ceiling": (booking) => {
      const { ceiling, floor } = booking.policy;
      const { askedMarkupMicroUsdc } = priceBooking({
        ...booking,
        policy: { ...booking.policy, ceiling: undefined, serviceTakeBehavior: "add_to_customer" },
      }).pricing;
      const asked = BigInt(String(askedMarkupMicroUsdc));
      const most = ceiling !== undefined && asked > ceiling ? ceiling : asked;
      const { markupBps: _given, ...rest } = booking;
      return priceBooking({ ...rest, markup: most < floor ? floor : most });
    },
    "ignores the floor": (booking) => priceBooking({ ...booking, policy: { ...booking.policy, floor: 0n } }),
    "always adds its take": (booking) =>
      priceBooking({ ...booking, policy: { ...booking.policy, serviceTakeBehavior: "add_to_customer" } }),
    "prices by the policy alone": ({ cost, acknowledged, policy }) => priceBooking({ cost, acknowledged, policy }),
  };

  it.each(Object.entries(broken))("are broken by a pricer that %s", (_name, pricer) => {
    expect(check(pricer).failed).toBe(true);
  });
});
