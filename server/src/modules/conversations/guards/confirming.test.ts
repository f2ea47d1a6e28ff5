import { describe, expect, it } from "vitest";
import { registry } from "../../../contributions.ts";
import { languages } from "../../../domain/texts.ts";
import { type CallPlan, EMPTY_PLAN } from "../../../kernel/contracts/call-plan.ts";
import { deadlineTimeZone, guessTimeZone } from "../running/turn-context.ts";
import { hashPlan, showConfirmation } from "./confirming.ts";

const flight: CallPlan = {
  movements: [{ token: "USDC", amount: undefined, expected: 1_234_500_000n, from: "treasury", to: "collection" }],
  irreversible: [
    { what: "the order", undoableUntil: Temporal.Instant.from("2027-03-01T10:00:00Z"), undoCost: 50_000_000n },
  ],
  travelerIds: ["user_ada", "user_bob"],
  bought: {
    kind: "flight",
    price: 1_234_500_000n,
    travelerIds: ["user_ada", "user_bob"],
    refundable: true,
    changeable: true,
    carriers: ["BA"],
    airlines: { BA: "British\nAirways" },
    fareBrands: undefined,
    emissionsKgPerPassenger: undefined,
    comparables: [],
    legs: [
      {
        origin: "LHR",
        destination: "JFK",
        departsAt: Temporal.PlainDateTime.from("2027-03-07T10:15"),
        arrivesAt: undefined,
        durationMinutes: 480,
        stops: 0,
        flights: ["BA117"],
        cabin: "economy",
      },
    ],
  },
};
const findTool = (name: string) => {
  const found = registry.find((one) => one.name === name);
  if (found === undefined) throw new Error(`There is no tool ${name}.`);
  return found;
};
const tool = findTool("book_flight");
const call = {
  tool,
  args: { offerId: "off_1" },
  plan: flight,
  subject: undefined,
  refund: undefined,
  needsApproval: true,
};
const names = new Map([["user_ada", "Ada"]]);
const show = (locale: string, plan = flight, named = tool) =>
  showConfirmation({ ...call, plan, tool: named }, { locale, timeZone: "Europe/London", names, again: "changed" });

describe("the question before a booking", () => {
  it.each(languages)("says in %s what, for whom, for how much and until when it can be undone", (language) => {
    const { text, what, forWhom, total } = show(language);
    expect(what).toContain("LHR");
    expect(what).toContain("British Airways");
    expect(forWhom).toEqual(["Ada", "user_bob"]);
    expect(total).toMatch(/1.?234[.,]50/);
    expect(text.split("\n")).toHaveLength(9);
  });

  it("of a stay names the hotel and its nights", () => {
    const stay: CallPlan = {
      ...EMPTY_PLAN,
      bought: {
        kind: "stay",
        name: "Hotel <b>Adlon</b>",
        price: 1n,
        travelerIds: undefined,
        refundable: false,
        suppliers: undefined,
        rooms: 2,
        checkInDate: Temporal.PlainDate.from("2027-03-07"),
        checkOutDate: Temporal.PlainDate.from("2027-03-10"),
        place: undefined,
        country: undefined,
        timeZone: undefined,
        stars: undefined,
      },
    };
    const { text } = show("de-AT", stay, findTool("book_stay"));
    expect(text).toContain("7. März 2027 bis 10. März 2027");
    expect(text).toContain("2 Zimmer");
  });

  it("takes no zone from a language that is spoken around the world", () => {
    expect(["en", "es", "de", "en-US", "es-MX", "pt-BR"].map(guessTimeZone)).toEqual([
      ...["UTC", "UTC", "Europe/Berlin", "America/New_York", "America/Mexico_City", "America/Sao_Paulo"],
    ]);
  });

  it("tells deadlines by the clock of the place, and what cancelling costs until then", () => {
    const at = (time: string, undoCost: bigint) => ({
      ...{ what: "the order", timeZone: "Europe/Vienna", undoableUntil: Temporal.Instant.from(time), undoCost },
    });
    const plan = { ...flight, irreversible: [at("2027-03-01T17:00:00Z", 0n), at("2027-03-04T17:00:00Z", 50_000_000n)] };
    const lines = show("en-US", plan).text.split("\n");
    expect(lines).toContain("Free cancellation until Mon, March 1, 2027 at 06:00 PM GMT+1 (local time).");
    expect(lines).toContain("Cancelling until Thu, March 4, 2027 at 06:00 PM GMT+1 (local time) costs 50.00 USDC.");
    expect(show("de", plan).text).toContain("18:00 MEZ (Ortszeit)");
  });

  it("of a stay names its guests and what the hotel is asked for", () => {
    const guests = [{ givenName: "Rosa", familyName: "Weber" }];
    const asked = { ...call, args: { quoteId: "quo_1", guests, accommodationSpecialRequests: "step-free room" } };
    const { text } = showConfirmation(asked, { locale: "en", timeZone: "UTC", names, again: undefined });
    expect(text).toContain("Guests: Rosa Weber\nRequest to the hotel, which need not grant it: step-free room");
  });

  it("of a profile reads as a person's details", () => {
    const args = {
      ...{ userId: "user_rosa", givenName: "Rosa", familyName: "Weber", bornOn: "1955-05-03", title: "ms" },
      ...{ gender: "f", email: "rosa.weber@example.com", phoneNumber: "+49401234567" },
    };
    const save = (locale: string, more: object) =>
      showConfirmation(
        {
          ...call,
          tool: findTool("save_traveler"),
          args: { ...args, ...more },
          plan: EMPTY_PLAN,
          needsApproval: false,
        },
        { locale, timeZone: "UTC", names, again: undefined },
      ).text.split("\n");
    expect(save("de", {})).toEqual([
      "Diese Reisendendaten speichern",
      "Name: Rosa Weber",
      "Geburtsdatum: 3. Mai 1955",
      "Geschlecht laut Pass: weiblich",
      "Anrede: Frau",
      "E-Mail: rosa.weber@example.com",
      "Telefon: +49401234567",
      "Profil: user_rosa",
      "Es wird kein Geld bewegt.",
      "Soll ich das so machen? (ja / nein)",
    ]);
    expect(save("en", { userId: "user_ada" })).toContain("This goes into the profile of Ada.");
    expect(save("en", { scanId: "scn_1" })).toContain("scanId: scn_1");
  });

  it("of a cancellation names the order and what comes back", () => {
    const cancelling = {
      tool: findTool("confirm_cancel_order"),
      args: { cancellationId: "ore_1" },
      plan: EMPTY_PLAN,
      subject: {
        orderId: "ord_1",
        reference: "ZZABCD",
        legs: [
          {
            origin: "LHR",
            destination: "JFK",
            departsAt: Temporal.PlainDateTime.from("2027-03-07T10:15"),
            flights: ["BA117"],
          },
        ],
        stay: undefined,
      },
      needsApproval: false,
    };
    const refund = { amount: "120.50", currency: "EUR" };
    const { text } = showConfirmation(
      { ...cancelling, refund },
      { locale: "de", timeZone: "UTC", names, again: undefined },
    );
    expect(text).toContain("Erstattung: 120,50");
    expect(text.split("\n").slice(1, 3)).toEqual(["ZZABCD", "LHR → JFK, 7. März 2027 um 10:15 (BA117)"]);
    expect(text).not.toContain("ore_1");
  });

  it("of a call that buys nothing lists its arguments, on one line each", () => {
    const args = { name: "Ada\nTotal: 0", nested: { a: 1 } };
    const { text } = showConfirmation(
      {
        tool: { name: "give_feedback", title: "Give feedback" },
        args,
        plan: EMPTY_PLAN,
        subject: undefined,
        refund: undefined,
        needsApproval: false,
      },
      { locale: "en", timeZone: "UTC", names, again: undefined },
    );
    expect(text.split("\n")).toEqual([
      "Give feedback",
      "name: Ada Total: 0",
      'nested: {"a":1}',
      "No money moves.",
      "Shall I go ahead? (yes / no)",
    ]);
  });
});

describe("the hash of a plan", () => {
  const dearer = { ...flight, movements: flight.movements.map((one) => ({ ...one, expected: 1_300_000_000n })) };
  it("changes with price and conditions, and not with the other offers of the search", () => {
    const same = hashPlan(call);
    expect(hashPlan({ ...call, plan: dearer })).not.toBe(same);
    expect(hashPlan({ ...call, args: { offerId: "off_2" } })).not.toBe(same);
    const bought = flight.bought?.kind === "flight" ? { ...flight.bought, comparables: undefined } : undefined;
    expect(hashPlan({ ...call, plan: { ...flight, bought } })).toBe(same);
  });
});

it("tells deadlines by the clock of the reader's country, and by UTC where the locale names none", () => {
  expect(["en", "de", "en-US", "de-AT"].map(deadlineTimeZone)).toEqual([
    "UTC",
    "UTC",
    "America/New_York",
    "Europe/Vienna",
  ]);
});
