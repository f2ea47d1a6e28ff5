import { decode } from "bcbp";
import { parse } from "mrz";
import { describe, expect, it } from "vitest";
import { type PassLeg, writePassCode } from "./boarding-pass-code.ts";
import { type Answer, judgeAnswer } from "./judge.ts";
import { transliterate, writeCardZone, writePassportZone, type ZoneFacts } from "./machine-readable-zone.ts";
import { renderPassport } from "./render-passport.ts";
import { renderReceipt } from "./render-receipt.ts";
import { spoilImage } from "./spoil-image.ts";

const today = Temporal.PlainDate.from("2026-11-20");
const holder: ZoneFacts = {
  documentCode: "P",
  issuer: "D",
  nationality: "D",
  familyName: "Weiß-Müller",
  givenName: "Åsa O'Hara",
  number: "C01X00T47",
  sex: "X",
  optional: "",
  bornOn: Temporal.PlainDate.from("1974-08-12"),
  expiresOn: Temporal.PlainDate.from("2032-04-15"),
};

describe("rendered documents", () => {
  it("are the same for the same seed, and others for another", async () => {
    const [one, again, other] = [
      await renderReceipt(3, today),
      await renderReceipt(3, today),
      await renderReceipt(33, today),
    ];
    expect(again).toEqual(one);
    expect(other.bytes.equals(one.bytes)).toBe(false);
    const spoiled = await Promise.all([0, 0, 1].map((seed) => spoilImage(one.bytes, "photo", seed)));
    expect(spoiled[1]).toEqual(spoiled[0]);
    expect(spoiled[2]).not.toEqual(spoiled[0]);
    expect(renderPassport(5, today)).toEqual(renderPassport(5, today));
  });

  it("have machine-readable zones that another library finds valid", () => {
    const passport = parse(writePassportZone(holder));
    expect(passport.valid).toBe(true);
    expect(passport.fields).toMatchObject({ lastName: "WEISS MUELLER", firstName: "AASA OHARA", sex: "nonspecified" });
    const card = parse(writeCardZone({ ...holder, documentCode: "I", issuer: "AUS", nationality: "AUS" }));
    expect([card.format, card.valid]).toEqual(["TD1", true]);
    expect(transliterate("Żółtowska Łukasiewicz")).toBe("ZOLTOWSKA LUKASIEWICZ");
    const [first = ""] = writePassportZone({ ...holder, familyName: "Papadimitriou Konstantinopoulou Vasilopoulos" });
    expect(first).toHaveLength(44);
  });

  it("have bar codes that another library reads alike", () => {
    const leg: PassLeg = {
      bookingReference: "NGPL2A",
      origin: "CDG",
      destination: "SIN",
      carrier: "TP",
      flight: "355A",
      cabin: "W",
      date: today,
      seat: "INF",
      sequence: "18",
      status: "3",
    };
    const text = writePassCode({
      passenger: "OKAFOR/DANIEL",
      legs: [leg, { ...leg, origin: "SIN", destination: "SYD", flight: "7", seat: "5A" }],
      conditional: { version: "6", issuedOn: today, airlineText: "LOUNGE" },
      security: "ABC",
    });
    const { data } = decode(text, 2026);
    expect(data?.legs).toMatchObject([
      { flightNumber: "0355A", seatNumber: "INF", departureAirport: "CDG", airlineInfo: "LOUNGE" },
      { flightNumber: "0007", seatNumber: "005A", departureAirport: "SIN", checkInSequenceNumber: "0018" },
    ]);
    expect(data).toMatchObject({ passengerName: "OKAFOR/DANIEL", securityData: "ABC" });
  });
});

const answer = (fields: Readonly<Record<string, string>>, codes: readonly string[] = []): Answer => ({
  fields: Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, { value }])),
  reasons: codes.map((code) => ({ code })),
});
const wrongIn = (truth: Readonly<Record<string, readonly string[]>>, fields: Readonly<Record<string, string>>) =>
  judgeAnswer({ fields: truth }, answer(fields)).wrong.map(({ field }) => field);

describe("the judge", () => {
  it("tells right, wrong, missing and what is for review apart", () => {
    const truth = { fields: { totalAmount: ["12.50"], issuedOn: ["2026-11-20"], tipAmount: [], currency: ["EUR"] } };
    const verdict = judgeAnswer(
      truth,
      answer({ totalAmount: "12.5", tipAmount: "1.00", currency: "USD" }, ["low_confidence"]),
    );
    expect(verdict.right).toEqual(["totalAmount"]);
    expect(verdict.missing.map(({ field }) => field)).toEqual(["issuedOn"]);
    expect(verdict.wrong.map(({ field }) => field)).toEqual(["tipAmount", "currency"]);
    expect([verdict.isReviewed, verdict.codes]).toEqual([true, ["low_confidence"]]);
    expect(judgeAnswer(truth, answer({})).isReviewed).toBe(false);
  });

  it("allows other spellings of the same, and no other values", () => {
    const names = { familyName: ["MÜLLER-WEISS", "MUELLER WEISS"] };
    expect(wrongIn(names, { familyName: "Müller Weiss" })).toEqual([]);
    expect(wrongIn(names, { familyName: "MULLER WEISS" })).toEqual(["familyName"]);
    const merchant = { merchantName: ["Café Rosengarten"] };
    expect(wrongIn(merchant, { merchantName: "CAFE ROSENGARTEN" })).toEqual([]);
    expect(wrongIn(merchant, { merchantName: "Hafenweg 21" })).toEqual(["merchantName"]);
    const number = { documentNumber: ["C01X00T47"] };
    expect(wrongIn(number, { documentNumber: "*****0T47" })).toEqual([]);
    expect(wrongIn(number, { documentNumber: "*****0T41" })).toEqual(["documentNumber"]);
    expect(wrongIn(number, { documentNumber: "C01X00T41" })).toEqual(["documentNumber"]);
    expect(wrongIn({ tipAmount: [] }, { tipAmount: "0.00" })).toEqual([]);
  });

  it("compares legs in their order and taxes by their rate", () => {
    const legs = [{ seat: ["5A"] }, { seat: ["7C"] }];
    const asked = (seats: readonly string[]) =>
      judgeAnswer({ fields: {}, legs }, { ...answer({}), legs: seats.map((value) => ({ seat: { value } })) }).wrong;
    expect(asked(["005A", "7C"])).toEqual([]);
    expect(asked(["7C", "5A"]).map(({ field }) => field)).toEqual(["legs.0.seat", "legs.1.seat"]);
    expect(asked(["5A"]).map(({ field }) => field)).toEqual(["legs"]);
    const taxes = [
      { ratePercent: ["19.00"], taxAmount: ["3.80"] },
      { ratePercent: ["7.00"], taxAmount: ["0.70"] },
    ];
    const swapped = [
      { ratePercent: { value: "7" }, taxAmount: { value: "0.70" } },
      { ratePercent: { value: "19" }, taxAmount: { value: "3.80" } },
    ];
    expect(judgeAnswer({ fields: {}, taxes }, { ...answer({}), taxes: swapped }).wrong).toEqual([]);
  });
});
