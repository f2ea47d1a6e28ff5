import type { Word } from "../../reading/page.ts";
import type { Fields } from "../../scan.ts";
import { findDates, type PrintedDate, toPlainDate } from "../printed-dates.ts";
import { foldText, type PrintedLine, printedField } from "../printed-text.ts";
import { isAirportCode } from "./airport-codes.ts";
import { findPrintedNames } from "./pass-names.ts";

/** A value of a printed boarding pass, with the words that show it. */
export interface Shown {
  value: string;
  line: PrintedLine;
  words: readonly Word[];
}

/** The print of a boarding pass; none of it can be verified. */
export interface PrintedPass {
  flights: readonly (Shown & { carrier: string; flightNumber: string })[];
  airports: readonly Shown[];
  /** Airports beside labels such as FROM and TO. */
  origins: readonly Shown[];
  destinations: readonly Shown[];
  dates: readonly PrintedDate[];
  /** FAMILY/GIVEN as printed, or in any order beside a label. */
  names: readonly Shown[];
  seats: readonly Shown[];
  references: readonly Shown[];
}

const UNSURE = 0.5;
const FLIGHT = /^(?=\d?[A-Z])([A-Z0-9]{2})0*([1-9]\d{0,3}[A-Z]?)$/;
const SEAT = /^0{0,2}([1-9]\d?[A-K])$/;
const LIKE_DIGITS = /[0OQD1IL2Z5S6G8B]/;
const REFERENCE = /^[A-Z0-9]{6}$/;
/** Airport codes that are also words or abbreviations on boarding passes. */
const ALSO_WORDS: ReadonlySet<string> = new Set(
  "AND THE FOR ARE ALL BAG CAN DAY END GET GOT HAS HOT LAX MAY NOT OFF ONE OUT PER SEA SUN TUE VIA MON WED THU FRI SAT JAN FEB MAR APR JUN JUL AUG SEP OCT NOV DEC PAX MRS SEQ ETD ETA STD GTE PNR ETK TKT ECO CLS BUS REF".split(
    " ",
  ),
);
const LABELS = {
  flight: ["FLIGHT", "FLUG", "VOL", "VUELO", "VOO", "VOLO", "VLUCHT"],
  seat: ["SEAT", "SITZ", "SITZPLATZ", "SIEGE", "ASIENTO", "ASSENTO", "POSTO", "STOEL"],
  reference: [
    "PNR",
    "REFERENCE",
    "REF",
    "BOOKING",
    "LOCATOR",
    "BUCHUNGSCODE",
    "BUCHUNGSNUMMER",
    "RESERVATION",
    "LOCALIZADOR",
  ],
  origin: ["FROM", "VON", "DESDE", "ORIGIN"],
  destination: ["TO", "NACH", "DESTINATION", "DESTINO"],
} as const;
const FORM_WORDS: ReadonlySet<string> = new Set(
  [
    "FROM VON DE DA DESDE NACH TO A HACIA PARA DATE DATUM FECHA DATA NAME NOM NOMBRE NOME PASSENGER PASSAGIER PASSAGER PASAJERO",
    "PASSAGEIRO PASSEGGERO GATE PORTE PORTA PUERTA FLUGSTEIG BOARDING EINSTIEG EMBARQUEMENT EMBARQUE IMBARCO CLASS KLASSE CLASSE",
    "CLASE TIME ZEIT HEURE HORA ORA DEPARTURE ABFLUG DEPART SALIDA PARTIDA ARRIVAL ANKUNFT ARRIVEE LLEGADA CHEGADA TERMINAL",
    "GROUP GRUPPE GROUPE GRUPO ZONE SEQUENCE BAGGAGE GEPACK BAGAGES EQUIPAJE TICKET BILLET OPERATED CABIN STATUS REMARKS",
  ].flatMap((line) => line.split(" ")),
);
/** Words of six letters that occur beside the labels of booking references. */
const BESIDE_REFERENCES: ReadonlySet<string> = new Set("NUMBER NUMERO NUMMER STATUS TICKET ONLINE".split(" "));
const MOST_SHOWN = 40;

export function readPrintedPass(lines: readonly PrintedLine[]): PrintedPass {
  const labelled = (label: keyof typeof LABELS, isValue: (text: string) => boolean) =>
    findLabelled(lines, LABELS[label], isValue);
  return {
    flights: findFlights(lines),
    airports: findAirports(lines),
    origins: labelled("origin", isPrintedAirport),
    destinations: labelled("destination", isPrintedAirport),
    dates: findDates(lines),
    names: findPrintedNames(lines, isWordOfForm),
    seats: labelled("seat", (text) => SEAT.test(foldText(text))).map((shown) => ({
      ...shown,
      value: SEAT.exec(shown.value)?.[1] ?? shown.value,
    })),
    references: labelled("reference", isReference),
  };
}

const LABEL_WORDS: ReadonlySet<string> = new Set<string>(Object.values(LABELS).flat());

const isWordOfForm = (text: string): boolean => LABEL_WORDS.has(text) || FORM_WORDS.has(text);

function isPrintedAirport(text: string): boolean {
  return isAirportCode(text) && !ALSO_WORDS.has(text);
}

/** Capitals only: six small letters beside such a label belong to the label. */
function isReference(text: string): boolean {
  return REFERENCE.test(text) && !isWordOfForm(text) && !BESIDE_REFERENCES.has(text);
}

/** AC834, AC 834, AC0834. */
function findFlights(lines: readonly PrintedLine[]): PrintedPass["flights"] {
  const found: (Shown & { carrier: string; flightNumber: string })[] = [];
  for (const line of lines) {
    for (const [at, word] of line.words.entries()) {
      for (const words of [[word], line.words.slice(at, at + 2)]) {
        const text = words.map(({ text: part }) => foldText(part.slice(0, 12))).join("");
        const [, carrier, flightNumber] = FLIGHT.exec(text) ?? [];
        const isSplit = words.length === 2 && words[0]?.text.length !== 2;
        if (carrier === undefined || flightNumber === undefined || isSplit || /^\d[A-Z]?$/.test(carrier)) continue;
        if (words.length === 1 && SEAT.test(text)) continue;
        found.push({ value: carrier + flightNumber, carrier, flightNumber, line, words });
        break;
      }
    }
  }
  return found.slice(0, MOST_SHOWN);
}

function findAirports(lines: readonly PrintedLine[]): readonly Shown[] {
  const found: Shown[] = [];
  for (const line of lines) {
    for (const word of line.words) {
      for (const code of word.text.slice(0, 20).match(/\b[A-Z]{3}\b/g) ?? []) {
        if (isPrintedAirport(code)) found.push({ value: code, line, words: [word] });
      }
    }
  }
  return found.slice(0, MOST_SHOWN);
}

/** Words of a form to the right of a label or in the two lines below it. */
function findLabelled(
  lines: readonly PrintedLine[],
  labels: readonly string[],
  isValue: (text: string) => boolean,
): readonly Shown[] {
  const found: Shown[] = [];
  for (const [row, line] of lines.entries()) {
    for (const [at, word] of line.words.entries()) {
      if (
        !foldText(word.text.slice(0, 30))
          .split(/[^A-Z]+/)
          .some((part) => labels.includes(part))
      )
        continue;
      const right = { line, words: line.words.slice(at + 1, at + 4) };
      const below = lines
        .slice(row + 1, row + 3)
        .map((next) => ({ line: next, words: next.words.filter(({ box }) => overlaps(box, word.box)) }));
      for (const place of [right, ...below]) {
        const shown = place.words.find(({ text }) => isValue(text.slice(0, 12)));
        if (shown === undefined) continue;
        found.push({ value: foldText(shown.text.slice(0, 12)), line: place.line, words: [shown] });
        break;
      }
    }
  }
  return found.slice(0, MOST_SHOWN);
}

function overlaps(one: Word["box"], other: Word["box"]): boolean {
  const slack = other.width;
  return one.x < other.x + other.width + slack && one.x + one.width > other.x - slack;
}

/** The fields of the print alone, with low confidence. */
export function listPrintedFields(printed: PrintedPass, today: Temporal.PlainDate): { fields: Fields; leg: Fields } {
  const field = (shown: Shown | undefined) =>
    shown === undefined ? undefined : printedField(shown.value, shown.line, shown.words, UNSURE);
  const [flight] = printed.flights;
  const [origin] = printed.airports;
  const destination = printed.airports.find(({ value }) => value !== origin?.value);
  const [name] = printed.names;
  // Without a stroke the parts cannot be told apart.
  const [familyName, givenName] = name?.value.includes("/") ? name.value.split("/") : [];
  // A letter that looks like a digit may be misread, and nothing verifies it.
  const reference = printed.references.find(({ value, line }) => line.source === "text" || !LIKE_DIGITS.test(value));
  const shownDate = printed.dates[0];
  const departsOn = shownDate === undefined ? undefined : nearestDate(shownDate, today);
  return {
    fields: withoutGaps({
      passengerName: field(name),
      familyName: name === undefined || familyName === undefined ? undefined : field({ ...name, value: familyName }),
      givenName: name === undefined || givenName === undefined ? undefined : field({ ...name, value: givenName }),
      bookingReference: field(reference),
    }),
    leg: withoutGaps({
      bookingReference: field(reference),
      carrier: flight === undefined ? undefined : field({ ...flight, value: flight.carrier }),
      flightNumber: flight === undefined ? undefined : field({ ...flight, value: flight.flightNumber }),
      origin: destination === undefined ? undefined : field(origin),
      destination: field(destination),
      departsOn:
        shownDate === undefined || departsOn === undefined
          ? undefined
          : field({
              value: departsOn.toString(),
              line: shownDate.line,
              words: shownDate.line.words.slice(shownDate.from, shownDate.to),
            }),
      seat: field(printed.seats[0]),
    }),
  };
}

function withoutGaps(fields: Readonly<Record<string, Fields[string] | undefined>>): Fields {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) => (field === undefined ? [] : [[name, field]])),
  );
}

/** A printed date in the year nearest to today, if it has none. Undefined if day and month are interchangeable. */
function nearestDate({ readings }: PrintedDate, today: Temporal.PlainDate): Temporal.PlainDate | undefined {
  const [reading] = readings;
  if (readings.length !== 1 || reading === undefined) return undefined;
  const { day, month, year, yearOfCentury } = reading;
  const years =
    year !== undefined
      ? [year]
      : yearOfCentury !== undefined
        ? [2000 + yearOfCentury]
        : [-1, 0, 1].map((years) => today.year + years);
  const distance = (date: Temporal.PlainDate) => Math.abs(today.until(date).days);
  return years
    .flatMap((inYear) => toPlainDate(inYear, month, day) ?? [])
    .sort((one, other) => distance(one) - distance(other))[0];
}
