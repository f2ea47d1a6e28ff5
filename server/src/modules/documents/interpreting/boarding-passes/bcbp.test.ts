import { decode } from "bcbp";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Bcbp, parseBcbp } from "./bcbp.ts";
import { resolveFlightDates } from "./flight-dates.ts";

/** The examples of Resolution 792, attachment B, in versions 4 and 5, with shortened signatures. */
const EXAMPLES = [
  "M1DESMARAIS/LUC       EABC123 YULFRAAC 0834 326J001A0025 100",
  "M1DESMARAIS/LUC       EABC123 YULFRAAC 0834 226F001A0025 106>60000",
  "M1DESMARAIS/LUC       EABC123 YULFRAAC 0834 326J001A0025 100^108ABCDEFGH",
  "M1DESMARAIS/LUC       EAB12C3 YULFRAAC 0834 326J003A0027 167>5321WW1325BAC 0014123456002001412346700100141234789012A0141234567890 1AC AC 1234567890123    4PCYLX58Z^108ABCDEFGH",
  "M1GRANDMAIRE/MELANIE  EABC123 GVACDGAF 0123 339C002F0025 130>5002A0571234567890  AF AF 1234567890123456    Y^108ABCDEFGH",
  "M2DESMARAIS/LUC       EAB12C3 YULFRAAC 0834 326J003A0027 167>5321WW1325BAC 0014123456002001412346700100141234789012A0141234567890 1AC AC 1234567890123    4PCYLX58ZDEF456 FRAGVALH 3664 327C012C0002 12E2A0140987654321 1AC AC 1234567890123    3PCNWQ^108ABCDEFGH",
  "M2GRANDMAIRE/MELANIE  EABC123 GVACDGAF 0123 339C002F0025 130>5002A0571234567890  AF AF 1234567890123456    YDEF456 CDGDTWNW 0049 339F001A0002 12C2A012098765432101                       2PC ^108ABCDEFGH",
  "M2DESMARAIS/LUC       EABC123 YULFRAAC 0834 326J003A0027 159>4251WW1325BAC 00141234560020014123467001290141234567890 1AC AC 1234567890123    3PCLX58ZDEF456 FRAGVALH 3664 327C012C0002 12D290140987654321 1AC AC 1234567890123    3PCWQ^108ABCDEFGH",
];
/** Passes of airlines, with other names: from the issues of bcbp (507), BoardingPassKit (7) and samples of KItinerary. */
const REAL = [
  "M2DOEDOED/JOHNJOH     ENBVZS7 ORYMRSAF 6000 151Y021A0106 336>60B        KL 2505760840335640    KL 5193929192      NBVZS7 MRSORYAF 6009 151Y021F0040 3272505760840335640    KL 5193929192      ",
  "M1EEEEE BBB           E234234 GOTARNSK 101  12 F011A0034 130>6002A                                         Y",
  "M1DOE/JOHN            EX4TE6N ZRHHAMLX 1056 049Y030F0117 377>8320 W    BLX                                        2A72463496679170 LX LH 992221992624215     Y*30600000K09  LHS    ",
  "M1DOE/JOHN            EXXX007 TXLBRUSN 2588 034Y023D0999 35D>5181WM7034BSN              2A08200000000000 SN LH 123456789012345      *30600000K0902       ",
  "M1DOE/JOHN             XXX007 BRUTXLEW 8103 035Y012C0030 147>1181W 8033BEW 0000000000000291040000000000 0   LH 123456789012345     ",
];
const NONSENSE = [
  "",
  "M1",
  "M1DESMARAIS/LUC       ",
  "hello world, this is a long text that is no boarding pass at all, but as long as one",
  "https://example.com/boarding?pass=M1DESMARAIS",
  "S1DESMARAIS/LUC       EABC123 YULFRAAC 0834 326J001A0025 100",
  "M2DESMARAIS/LUC       EABC123 YULFRAAC 0834 326J001A0025 100",
  "M5DESMARAIS/LUC       EABC123 YULFRAAC 0834 326J001A0025 100",
  "M1DESMARAIS/LUC       EABC123 000FRAAC 0834 326J001A0025 100",
  "M1DESMARAIS/LUC       EABC123 YULFRAAC 0834 367J001A0025 100",
  "M1DESMARAIS/LUC       EABC123 YULFRAAC 0834 000J001A0025 100",
  "M1DESMARAIS/LUC       EABC123 YULFRAAC 0834 326J001A0025 130>6002A",
  "M1DESMARAIS/LUC       EABC123 YULYULAC 0834 326J001A0025 100",
  "M1DOE/JOHN            EABCDEFGMRSLGWEZY8724 99  3C  506  10Axxxxxxxxxx",
  "M1DOE/JOHN            EXXX007 TXLBRUSN 2592 110Y",
];

interface Leg {
  reference: string;
  origin: string;
  destination: string;
  carrier: string;
  flight: string;
  day: number;
  cabin: string;
  seat: string;
  sequence: string;
  status: string;
  frequentFlyer: string;
  airlineText: string;
}

const upper = (least: number, most: number) =>
  fc.string({ unit: fc.constantFrom(..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"), minLength: least, maxLength: most });
const alphanumeric = (least: number, most: number) =>
  fc.string({ unit: fc.constantFrom(..."ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"), minLength: least, maxLength: most });
const leg: fc.Arbitrary<Leg> = fc
  .record({
    reference: alphanumeric(6, 7),
    origin: upper(3, 3),
    destination: upper(3, 3),
    carrier: upper(2, 3),
    flight: fc
      .tuple(fc.integer({ min: 1, max: 9999 }), fc.constantFrom("", "A", "Z"))
      .map(([number, suffix]) => `${String(number).padStart(4, "0")}${suffix}`),
    day: fc.integer({ min: 1, max: 365 }),
    cabin: upper(1, 1),
    seat: fc
      .tuple(fc.integer({ min: 1, max: 99 }), upper(1, 1))
      .map(([row, letter]) => `${String(row).padStart(3, "0")}${letter}`),
    sequence: fc.integer({ min: 1, max: 9999 }).map((number) => String(number).padStart(4, "0")),
    status: fc.constantFrom("0", "1", "3", "A"),
    frequentFlyer: alphanumeric(0, 16),
    airlineText: alphanumeric(0, 20),
  })
  .filter(({ origin, destination }) => origin !== destination);

const sized = (text: string) => text.length.toString(16).toUpperCase().padStart(2, "0") + text;

/** Writes a boarding pass as the resolution describes it, independently of the parser. */
function writePass(
  name: string,
  legs: readonly Leg[],
  issued: string | undefined,
  signature: string | undefined,
): string {
  const parts = legs.map((one, index) => {
    const repeated = sized(
      `0141234567890 1${one.carrier.padEnd(3)}${one.carrier.padEnd(3)}${one.frequentFlyer.padEnd(16)} 2PCN`,
    );
    const unique = index === 0 ? `>6${sized(issued === undefined ? "" : `1WW${issued}BAC `)}` : "";
    return [
      one.reference.padEnd(7),
      one.origin,
      one.destination,
      one.carrier.padEnd(3),
      one.flight.padEnd(5),
      String(one.day).padStart(3, "0"),
      one.cabin,
      one.seat,
      one.sequence.padEnd(5),
      one.status,
      sized(unique + repeated + one.airlineText),
    ].join("");
  });
  return `M${legs.length}${name.padEnd(20)}E${parts.join("")}${signature === undefined ? "" : `^1${sized(signature)}`}`;
}

const passes = fc.record({
  name: fc.tuple(upper(2, 10), upper(2, 8)).map(([family, given]) => `${family}/${given}`),
  legs: fc.array(leg, { minLength: 1, maxLength: 4 }),
  issued: fc.option(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 1, max: 365 })), { nil: undefined }),
  signature: fc.option(alphanumeric(1, 90), { nil: undefined }),
});

const withoutZeros = (text: string | undefined) => text?.trim().replace(/^0+(?=\d)/, "");

/** The other decoder's result in our normal form. */
function decodeOtherwise(text: string): unknown {
  const { data } = decode(text, 2026);
  return {
    passengerName: data?.passengerName,
    legs: data?.legs?.map((one) => [
      one.operatingCarrierPNR,
      one.departureAirport,
      one.arrivalAirport,
      one.operatingCarrierDesignator,
      withoutZeros(one.flightNumber),
      one.compartmentCode,
      one.seatNumber?.replace(/^0+/, ""),
      withoutZeros(one.checkInSequenceNumber),
      one.passengerStatus,
    ]),
  };
}

function inTheirForm(pass: Bcbp | undefined): unknown {
  return {
    passengerName: pass?.passengerName,
    legs: pass?.legs.map((one) => [
      one.bookingReference,
      one.origin,
      one.destination,
      one.carrier,
      one.flightNumber,
      one.cabinClassCode,
      one.seat,
      one.sequenceNumber,
      one.passengerStatus,
    ]),
  };
}

describe("parseBcbp", () => {
  it.each([...EXAMPLES, ...REAL.filter((text) => !text.includes(" 12 F"))])(
    "reads %s as another decoder does",
    (text) => {
      const pass = parseBcbp(text);
      expect(pass?.isWhole).toBe(true);
      expect(inTheirForm(pass)).toEqual(decodeOtherwise(text));
    },
  );

  it("refuses a pass whose date has two digits", () => {
    expect(parseBcbp(REAL[1] ?? "")).toBeUndefined();
  });

  it.each(NONSENSE)("refuses %s", (text) => {
    expect(parseBcbp(text)).toBeUndefined();
  });

  it("reports that something follows the last leg", () => {
    expect(parseBcbp(`${EXAMPLES[0]}>2180  0255BBR`)).toMatchObject({ isWhole: false, passengerName: "DESMARAIS/LUC" });
    expect(parseBcbp(`${EXAMPLES[5]}++`)).toBeUndefined();
  });

  it("reads every leg of one to four, as another decoder does", () => {
    fc.assert(
      fc.property(passes, ({ name, legs, issued, signature }) => {
        const stamp = issued === undefined ? undefined : `${issued[0]}${String(issued[1]).padStart(3, "0")}`;
        const text = writePass(name, legs, stamp, signature);
        const pass = parseBcbp(text);
        expect(inTheirForm(pass)).toEqual(decodeOtherwise(text));
        expect(pass?.legs).toHaveLength(legs.length);
        expect(pass?.legs.map(({ dayOfYear }) => dayOfYear)).toEqual(legs.map(({ day }) => day));
        expect(pass?.issued).toEqual(issued === undefined ? undefined : { yearDigit: issued[0], dayOfYear: issued[1] });
      }),
      { numRuns: 300 },
    );
  });

  it("refuses or parses truncated and scrambled texts, but never throws", () => {
    fc.assert(
      fc.property(passes, fc.nat(), fc.string({ maxLength: 3 }), ({ name, legs, signature }, at, inserted) => {
        const text = writePass(name, legs, "6001", signature);
        const cut = text.slice(0, at % text.length);
        for (const spoiled of [cut, cut + inserted + text.slice(cut.length)]) {
          const pass = parseBcbp(spoiled);
          expect(pass === undefined || pass.isWhole || pass.legs.length === 1).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe("resolveFlightDates", () => {
  const dated = (days: readonly number[], issued: Bcbp["issued"], today: string) => {
    const [first] = parseBcbp(EXAMPLES[0] ?? "")?.legs ?? [];
    if (first === undefined) throw new Error("no leg");
    const legs = days.map((dayOfYear) => ({ ...first, dayOfYear }));
    const pass = { passengerName: "", nameIsFull: false, ticketIndicator: "E", isWhole: true, legs, issued };
    const { dates, isGuessed } = resolveFlightDates(pass, Temporal.PlainDate.from(today));
    return [dates.map((date) => date?.toString()).join(" "), isGuessed];
  };
  const issuedOn = (yearDigit: number, dayOfYear: number) => ({ yearDigit, dayOfYear });

  it.each([
    // [days of the legs, issued, today, dates, whether the year is guessed]
    [[330], issuedOn(6, 329), "2026-11-26", "2026-11-26", false],
    [[1], issuedOn(6, 365), "2026-12-31", "2027-01-01", false],
    [[1], issuedOn(6, 365), "2027-01-02", "2027-01-01", false],
    [[365, 1], issuedOn(6, 364), "2027-01-05", "2026-12-31 2027-01-01", false],
    [[366], issuedOn(4, 365), "2024-12-31", "2024-12-31", false],
    [[60], issuedOn(4, 59), "2024-03-01", "2024-02-29", false],
    // A turn of the decade, from both sides.
    [[2], issuedOn(9, 364), "2030-01-03", "2030-01-02", false],
    [[360], issuedOn(9, 359), "2030-01-03", "2029-12-26", false],
    [[5], issuedOn(0, 4), "2029-12-30", "2030-01-05", false],
    // Issued after midnight in the airline's zone for a flight on the previous day, across the date line.
    [[100], issuedOn(6, 101), "2026-04-12", "2026-04-10", false],
    // Two and a half years old.
    [[200], issuedOn(4, 199), "2026-11-26", "2024-07-18", false],
    // The year's digit fits no year nearby.
    [[200], issuedOn(1, 199), "2026-11-26", "2021-07-19", true],
    [[330], undefined, "2026-11-26", "2026-11-26", false],
    [[365], undefined, "2027-01-02", "2026-12-31", false],
    // Three days ago, four days ago; 60 days ahead, 61 days ahead.
    [[327], undefined, "2026-11-26", "2026-11-23", false],
    [[326], undefined, "2026-11-26", "2026-11-22", true],
    [[25], undefined, "2026-11-26", "2027-01-25", false],
    [[26], undefined, "2026-11-26", "2026-01-26", true],
    [[180], undefined, "2026-11-26", "2026-06-29", true],
    [[3], undefined, "2026-12-30", "2027-01-03", false],
    [[366], undefined, "2025-01-02", "2024-12-31", false],
    [[365, 1, 2], undefined, "2026-12-30", "2026-12-31 2027-01-01 2027-01-02", false],
    [[100], undefined, "2026-11-26", "2026-04-10", true],
    [[366], undefined, "2027-12-29", "2024-12-31", true],
    [[366], undefined, "2028-01-02", "2024-12-31", true],
  ] as const)("dates legs on days %j, issued %j, seen on %s", (days, issued, today, dates, isGuessed) => {
    expect(dated(days, issued, today)).toEqual([dates, isGuessed]);
  });

  it("never dates a leg where its day is another, nor a later leg more than a day before the one that it follows", () => {
    const day = fc.integer({ min: 1, max: 366 });
    const today = fc.integer({ min: 0, max: 9_000 });
    const issue = fc.option(fc.record({ yearDigit: fc.nat(9), dayOfYear: day }), { nil: undefined });
    fc.assert(
      fc.property(fc.array(day, { minLength: 1, maxLength: 4 }), issue, today, (days, issued, offset) => {
        const on = Temporal.PlainDate.from("2020-01-01").add({ days: offset });
        const [dates] = dated(days, issued, on.toString());
        const read = String(dates)
          .split(" ")
          .map((text) => (text === "" || text === "undefined" ? undefined : Temporal.PlainDate.from(text)));
        for (const [index, date] of read.entries()) {
          if (date === undefined) continue;
          expect(date.dayOfYear).toBe(days[index]);
          const before = index === 0 ? undefined : read[index - 1];
          if (before !== undefined)
            expect(Temporal.PlainDate.compare(date, before.subtract({ days: 1 }))).toBeGreaterThanOrEqual(0);
        }
      }),
      { numRuns: 500 },
    );
  });
});
