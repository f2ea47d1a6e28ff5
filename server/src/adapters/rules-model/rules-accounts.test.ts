import { describe, expect, it } from "vitest";
import { talkWithRules } from "../../../test/support/rules-talk.ts";

const names = (turn: { calls: readonly { name: string }[] } | undefined) => turn?.calls.map(({ name }) => name);

describe("limits and budgets", () => {
  const period = (limitUsdc: string | null, leftUsdc: string | null) => ({ limitUsdc, leftUsdc });
  const read_account = {
    limits: {
      key: { perCallUsdc: null, perDay: period(null, null), perMonth: period("900.00", "700.00") },
      tenant: { perCallUsdc: "500.00", perDay: period(null, null), perMonth: period("5000.00", "600.00") },
    },
    budgets: [{ budgetId: "bud_1", costCentre: "Sales", amountUsdc: "2000.00", leftUsdc: "1234.00" }],
  };

  it.each([
    ["en", "How much money is left in our budget and what is our spending limit?"],
    ["en", "What is my spending limit?"],
    ["de", "Wie hoch ist unser Budget und wie viel ist noch übrig?"],
    ["de", "Welches Limit habe ich?"],
    ["es", "¿Qué presupuesto nos queda?"],
    ["es", "¿Cuál es mi límite de gasto?"],
  ])("in %s are told with what is left of the one that binds first: %s", async (locale, said) => {
    const [turn] = await talkWithRules([said], { locale, answers: { read_account } });
    expect(names(turn)).toEqual(["check_treasury", "read_account"]);
    expect(turn?.text).toMatch(/5[.,]?000[.,]00.*600[.,]00/);
    expect(turn?.text).toMatch(/500[.,]00/);
    expect(turn?.text).toMatch(/Sales.*1[.,]?234[.,]00/);
  });

  it("are said to be missing where there are none", async () => {
    const answers = { read_account: { limits: { key: {}, tenant: {} }, budgets: [] } };
    const [turn] = await talkWithRules(["what is our spending limit?"], { answers });
    expect(turn?.text).toMatch(/No spending limit is set\.\nNo budget applies\./);
  });
});

describe("what somebody's journeys cost", () => {
  const booked = (totalUsdc: string, status: string, createdAt: string) => ({
    ...{ orderId: "ord_1", kind: "flight", status, createdAt, totalUsdc, totalAmount: "1.00", totalCurrency: "EUR" },
  });
  const list_orders = {
    orders: [
      booked("120.50", "confirmed", "2026-11-20T10:00:00Z"),
      booked("80.00", "confirmed", "2026-11-02T10:00:00Z"),
      booked("300.00", "confirmed", "2026-10-20T10:00:00Z"),
      booked("50.00", "cancelled", "2026-11-21T10:00:00Z"),
    ],
  };

  it.each([
    ["en", "How much did Ada cost us this month?"],
    ["en", "how much did we spend on Ada this month?"],
    ["de", "Wie viel hat uns Ada diesen Monat gekostet?"],
    ["es", "¿Cuánto nos ha costado Ada este mes?"],
  ])("in %s is the sum of the bookings of these days that hold: %s", async (locale, said) => {
    const [turn] = await talkWithRules([said], { locale, companions: ["Ada Huber"], answers: { list_orders } });
    expect(turn?.calls).toEqual([{ name: "list_orders", args: { userId: "Ada", limit: 100 } }]);
    expect(turn?.text).toMatch(/Ada Huber.*200[.,]50.*2/);
  });
});

describe("a refund that has come back", () => {
  const answers = {
    list_movements: {
      movements: [
        { kind: "order_payment", at: "2026-11-01T10:00:00Z", token: "USDC", amount: "153.33", orderId: "ord_ber" },
        { kind: "order_refund", at: "2026-11-20T10:00:00Z", token: "USDC", amount: "153.33", orderId: "ord_ber" },
        { kind: "order_refund", at: "2026-11-21T10:00:00Z", token: "USDC", amount: "7.00", orderId: "ord_rom" },
      ],
    },
    list_orders: {
      orders: [
        { orderId: "ord_ber", kind: "flight", status: "cancelled", pnr: "ZZBER1", what: "MUC to BER" },
        { orderId: "ord_rom", kind: "flight", status: "cancelled", pnr: "ZZROM1", what: "MUC to FCO" },
      ],
    },
  };

  it.each([
    ["en", "Where is the refund for our cancelled Berlin trip?"],
    ["de", "Wo bleibt die Erstattung für unsere stornierte Reise nach Berlin?"],
    ["es", "¿Dónde está el reembolso de nuestro viaje cancelado a Berlín?"],
  ])("in %s is told with its day and amount: %s", async (locale, said) => {
    const [turn] = await talkWithRules([said], { locale, answers });
    expect(names(turn)).toEqual(["list_movements", "list_orders"]);
    expect(turn?.text).toMatch(/2026.*153[.,]33.*ZZBER1 · MUC → BER/);
    expect(turn?.text).not.toContain("ZZROM1");
  });

  it("is said to be missing, with what was cancelled", async () => {
    const [turn] = await talkWithRules(["where is my refund?"], {
      answers: { ...answers, list_movements: { movements: [] } },
    });
    expect(turn?.text).toMatch(/No refund has come back.*\nCancelled bookings:\n- ZZBER1/);
  });
});

it.each([
  ["en", "May Carla fly business class to New York under our travel policy, and who has to approve it?"],
  ["de", "Darf Carla laut Reiserichtlinie Business Class nach New York fliegen, und wer genehmigt das?"],
  ["es", "¿Puede Carla viajar en clase business a Nueva York según la política, y quién lo aprueba?"],
])("the policy says whether a cabin is allowed, and who approves: %s, %s", async (locale, said) => {
  const read_policy = {
    enforcedPolicyId: "pol",
    document: {
      title: "Corporate",
      flight: { maxCabin: { severity: "require_approval", default: "premium_economy" } },
      approval: { role: "finance" },
    },
  };
  const [turn] = await talkWithRules([said], { locale, companions: ["Carla Riva"], answers: { read_policy } });
  expect(names(turn)).toEqual(["read_policy"]);
  expect(turn?.text).toMatch(/^Business: (?:only with approval|nur mit Genehmigung|solo con aprobación)\./);
  expect(turn?.text).toContain("finance");
});
