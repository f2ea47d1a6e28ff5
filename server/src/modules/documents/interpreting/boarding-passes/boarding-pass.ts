import type { Barcode, Interpreting, Reading } from "../../reading/page.ts";
import type { Fields, ReviewReason, Scan, ScannedField } from "../../scan.ts";
import { hasKindWord, looksLikeOther } from "../other-kinds.ts";
import { type PrintedDate, printsDate } from "../printed-dates.ts";
import { foldText, listLines, makeField, makeReason, type PrintedLine } from "../printed-text.ts";
import { isAirportCode } from "./airport-codes.ts";
import { type Bcbp, type BcbpLeg, parseBcbp } from "./bcbp.ts";
import { resolveFlightDates, resolveInYear } from "./flight-dates.ts";
import { listContradictions } from "./pass-contradictions.ts";
import { listPrintedFields, type PrintedPass, readPrintedPass } from "./printed-pass.ts";

const SURE = 0.99;
const UNSURE = 0.5;
const MOST_BARCODES = 20;

interface Pass {
  barcode: Barcode;
  pass: Bcbp;
}

/**
 * Interprets a boarding pass. Its barcode takes precedence, as it has error correction; the print is compared with it,
 * and supplies the year if the barcode has none. Without a boarding pass barcode the printed values are returned with
 * low confidence.
 */
export function interpretBoardingPass(reading: Reading, { today }: Interpreting): Scan {
  const lines = listLines(reading);
  const passes = listPasses(reading.barcodes);
  const [first, ...others] = passes;
  if (first === undefined) return readPrinted(reading, lines, today);
  const printed = readPrintedPass(lines.filter(({ page }) => page === first.barcode.page));
  const dates = dateLegs(first.pass, printed, today);
  const name = readName(first, lines);
  const reasons: ReviewReason[] = [
    ...(others.length === 0
      ? []
      : [makeReason("several_documents", `The document holds ${passes.length} boarding passes; this is the first.`)]),
    ...(first.pass.isWhole ? [] : [makeReason("barcode_invalid", "The barcode continues after its end.")]),
    ...name.reasons,
    ...dates.reasons,
    ...listUnknownAirports(first.pass),
    ...(others.length === 0
      ? listContradictions(
          first.pass,
          printed,
          dates.dates,
          lines.filter(({ page }) => page === first.barcode.page),
        )
      : []),
  ];
  const legs = first.pass.legs.map((leg, index) => listLegFields(leg, dates.dates[index], dates.isSure, first.barcode));
  const indicator = first.pass.ticketIndicator;
  const [reference] = legs.flatMap(({ bookingReference }) => bookingReference ?? []);
  return {
    fields: {
      ...name.fields,
      ...(reference === undefined ? {} : { bookingReference: reference }),
      ...(indicator === undefined ? {} : { ticketIndicator: codedField(indicator, first.barcode) }),
    },
    legs,
    reasons,
    references: [...new Set(passes.flatMap(({ pass }) => pass.legs.map(({ bookingReference }) => bookingReference)))],
    pages: reading.pageCount,
  };
}

/** The boarding passes among the barcodes: the same one may be there in several symbologies. */
function listPasses(barcodes: readonly Barcode[]): readonly Pass[] {
  const passes = barcodes.slice(0, MOST_BARCODES).flatMap((barcode) => {
    const pass = parseBcbp(barcode.text);
    return pass === undefined ? [] : [{ barcode, pass }];
  });
  return [
    ...new Map(passes.map((found) => [JSON.stringify([found.pass.passengerName, found.pass.legs]), found])).values(),
  ];
}

function codedField(value: string, { page, box }: Barcode, confidence = SURE): ScannedField {
  return makeField(value, confidence, { source: "barcode", page, box });
}

function listLegFields(leg: BcbpLeg, date: Temporal.PlainDate | undefined, isSure: boolean, barcode: Barcode): Fields {
  const { bookingReference, carrier, flightNumber, origin, destination, cabinClassCode } = leg;
  const { seat, sequenceNumber, passengerStatus } = leg;
  const texts = {
    bookingReference,
    carrier,
    flightNumber,
    origin,
    destination,
    cabinClassCode,
    seat,
    sequenceNumber,
    passengerStatus,
  };
  const fields = Object.entries(texts).flatMap(([name, text]) =>
    text === undefined ? [] : [[name, codedField(text, barcode)] as const],
  );
  return {
    ...Object.fromEntries(fields),
    ...(date === undefined ? {} : { departsOn: codedField(date.toString(), barcode, isSure ? SURE : UNSURE) }),
  };
}

/** Airlines append a title to the given name, with or without a space; a name may also end like one. */
const TITLE = /^(.{2,}?)( ?)(MR|MRS|MS|MISS|MSTR|DR|PROF)$/;
const TITLE_WITHOUT_SPACE = ["MR", "MRS", "MISS", "MSTR"];

function readName(
  { barcode, pass }: Pass,
  lines: readonly PrintedLine[],
): { fields: Fields; reasons: readonly ReviewReason[] } {
  const { passengerName, nameIsFull } = pass;
  const [familyName = "", given = ""] = passengerName.split("/");
  const [, bare, space, title = ""] = TITLE.exec(given.trim()) ?? [];
  const isTitled = bare !== undefined && (space === " " || TITLE_WITHOUT_SPACE.includes(title));
  const isDoubtful = isTitled && space === "";
  const givenName = isTitled ? bare.trim() : given.trim();
  // A truncated name that seems to end with a title is complete.
  const isCut = nameIsFull && space !== " " && !printsPhrase(lines, given === "" ? familyName : givenName);
  const name = given === "" ? "familyName" : "givenName";
  return {
    fields: {
      passengerName: codedField(passengerName, barcode),
      familyName: codedField(familyName.trim(), barcode, isCut && given === "" ? UNSURE : SURE),
      ...(givenName === "" ? {} : { givenName: codedField(givenName, barcode, isCut || isDoubtful ? UNSURE : SURE) }),
    },
    reasons: [
      ...(isCut ? [makeReason("name_not_confirmed", "The barcode has no room for the whole name.", name)] : []),
      ...(isDoubtful
        ? [makeReason("low_confidence", `It is not certain whether ${title} is a title or the end of the name.`, name)]
        : []),
    ],
  };
}

function printsPhrase(lines: readonly PrintedLine[], phrase: string): boolean {
  const wanted = foldText(phrase)
    .replaceAll(/[^A-Z]+/g, " ")
    .trim();
  return lines.some(({ words }) => {
    const text = ` ${words
      .map((word) => foldText(word.text))
      .join(" ")
      .replaceAll(/[^A-Z]+/g, " ")} `;
    return text.includes(` ${wanted} `);
  });
}

interface LegDates {
  dates: readonly (Temporal.PlainDate | undefined)[];
  isSure: boolean;
  reasons: readonly ReviewReason[];
}

/** A printed date with a year resolves an ambiguous year of the barcode. */
function dateLegs(pass: Bcbp, printed: PrintedPass, today: Temporal.PlainDate): LegDates {
  const { dates, isGuessed } = resolveFlightDates(pass, today);
  const missing = dates.some((date) => date === undefined)
    ? [makeReason("date_missing", "The day in the barcode does not exist in any year.", "departsOn")]
    : [];
  if (pass.issued === undefined || isGuessed) {
    const years = new Set(listPrintedYears(printed.dates, pass, today));
    const [year] = years;
    if (year !== undefined && years.size === 1) {
      return { dates: resolveInYear(pass, year), isSure: true, reasons: [] };
    }
  }
  if (!isGuessed) return { dates, isSure: true, reasons: missing };
  const guessed = makeReason(
    "year_guessed",
    "The boarding pass does not state the year. The latest year in which the flight is at most 60 days ahead was used.",
    "departsOn",
  );
  return { dates, isSure: false, reasons: [...missing, guessed] };
}

/** The years in which a printed date is the first leg's departure day. */
function listPrintedYears(printed: readonly PrintedDate[], pass: Bcbp, today: Temporal.PlainDate): readonly number[] {
  const years = [-3, -2, -1, 0, 1].map((years) => today.year + years);
  return years.filter((year) => {
    const [date] = resolveInYear(pass, year);
    return date !== undefined && printed.some((shown) => showsYear(shown) && printsDate(shown, date));
  });
}

function showsYear({ readings }: PrintedDate): boolean {
  return readings.some(({ yearOfCentury }) => yearOfCentury !== undefined);
}

function listUnknownAirports({ legs }: Bcbp): readonly ReviewReason[] {
  return legs.flatMap(({ origin, destination }) =>
    [["origin", origin] as const, ["destination", destination] as const].flatMap(([field, code]) =>
      isAirportCode(code)
        ? []
        : [makeReason("low_confidence", `${code} is not an airport with scheduled flights.`, field)],
    ),
  );
}

/** Dates and codes of three letters occur on any print. */
function isPass({ flights, names, seats, references, origins, destinations }: PrintedPass): boolean {
  return [flights, names, seats, references, origins, destinations].some((found) => found.length > 0);
}

function readPrinted(reading: Reading, lines: readonly PrintedLine[], today: Temporal.PlainDate): Scan {
  const reasons: ReviewReason[] = [];
  const printed = readPrintedPass(lines);
  const isOther =
    looksLikeOther(lines, "boarding_pass") ||
    reading.mrz.length > 0 ||
    (lines.length > 0 && !isPass(printed) && !hasKindWord(lines, "boarding_pass"));
  if (isOther && reading.barcodes.length === 0) {
    reasons.push(makeReason("wrong_kind", "This does not look like a boarding pass."));
  } else if (lines.length === 0 && reading.barcodes.length === 0) {
    reasons.push(makeReason("unreadable", "Neither a barcode nor text could be read."));
  }
  reasons.push(
    reading.barcodes.length > 0
      ? makeReason("barcode_invalid", "The barcode is not a boarding pass barcode.")
      : makeReason("barcode_missing", "No barcode could be read."),
  );
  if (isOther) return { fields: {}, legs: [], reasons, references: [], pages: reading.pageCount };
  const { fields, leg } = listPrintedFields(printed, today);
  if (printed.references.length > 0 && fields.bookingReference === undefined) {
    const message = "Letters in the booking reference may be digits, or vice versa. Read it from the document.";
    reasons.push(makeReason("low_confidence", message, "bookingReference"));
  }
  return {
    fields,
    legs: Object.keys(leg).length === 0 ? [] : [leg],
    reasons,
    references: [...new Set(printed.references.map(({ value }) => value))],
    pages: reading.pageCount,
  };
}
