/** One leg of a bar coded boarding pass, in normal form: no padding, no leading zeros. */
export interface BcbpLeg {
  bookingReference: string;
  origin: string;
  destination: string;
  /** The operating carrier: two or three characters. */
  carrier: string;
  /** Digits, with the letter of a duplicated flight if there is one: 834 or 834A. */
  flightNumber: string;
  /** From 1 to 366. */
  dayOfYear: number;
  cabinClassCode: string;
  /** Undefined if the passenger has no seat, or none yet. */
  seat: string | undefined;
  sequenceNumber: string | undefined;
  passengerStatus: string | undefined;
}

export interface Bcbp {
  /** FAMILY/GIVEN as encoded, at most 20 characters. */
  passengerName: string;
  /** The name fills its 20 characters, so it may be truncated. */
  nameIsFull: boolean;
  /** E for an electronic ticket. */
  ticketIndicator: string | undefined;
  legs: readonly BcbpLeg[];
  /** The date of issue: the last digit of the year and the day of the year. */
  issued: { yearDigit: number; dayOfYear: number } | undefined;
  /** False if the legs are followed by something that fits no section. Then only passes of one leg are accepted. */
  isWhole: boolean;
}

const LONGEST = 1_000;
const MOST_LEGS = 4;

const NAME = /^[A-Z][A-Z' .-]*(?:\/[A-Z' .-]*)?$/;
const SEAT = /^0{0,2}(\d{1,3}[A-Z])$/;

/** Takes items of fixed length from a text in sequence. */
class Items {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Undefined if the text is shorter. */
  take(length: number): string | undefined {
    if (this.#at + length > this.#text.length) return undefined;
    this.#at += length;
    return this.#text.slice(this.#at - length, this.#at);
  }

  /** A section preceded by its size in two hexadecimal digits. */
  takeSection(): string | undefined {
    const size = this.take(2);
    return size === undefined || !/^[0-9A-F]{2}$/.test(size) ? undefined : this.take(Number.parseInt(size, 16));
  }

  get rest(): string {
    return this.#text.slice(this.#at);
  }
}

/**
 * Parses a bar coded boarding pass of IATA Resolution 792, format M: a header of 23 characters, one to four legs with
 * their sized sections, and a signature. Undefined if the text is no such pass; every item must have its exact width
 * and character set.
 */
export function parseBcbp(text: string): Bcbp | undefined {
  if (text.length > LONGEST) return undefined;
  const items = new Items(text.replace(/[\r\n]+$/, ""));
  const format = items.take(1);
  const count = Number(items.take(1));
  const name = items.take(20) ?? "";
  const indicator = items.take(1) ?? "";
  if (format !== "M" || !(count >= 1 && count <= MOST_LEGS)) return undefined;
  if (!NAME.test(name.trimEnd()) || !/^[A-Z ]$/.test(indicator)) return undefined;

  const legs: BcbpLeg[] = [];
  let issued: Bcbp["issued"];
  for (let index = 0; index < count; index += 1) {
    const part = takeLeg(items);
    if (part === undefined) return undefined;
    const conditional = readConditional(part.conditional, index === 0);
    if (conditional === undefined) return undefined;
    if (index === 0) issued = conditional.issued;
    legs.push(part.leg);
  }
  const isWhole = isSecurity(items.rest);
  if (!isWhole && count > 1) return undefined;
  return {
    passengerName: name.trimEnd().replace(/\/$/, ""),
    nameIsFull: !name.endsWith(" "),
    ticketIndicator: indicator === " " ? undefined : indicator,
    legs,
    issued,
    isWhole,
  };
}

/** The items that begin every leg: their widths and allowed characters. */
const ITEMS = [
  [7, /^[A-Z0-9]{5,7} *$/],
  [3, /^[A-Z]{3}$/],
  [3, /^[A-Z]{3}$/],
  [3, /^[A-Z0-9]{2,3} ?$/],
  [5, /^ *\d{1,4}[A-Z]? *$/],
  [3, /^\d{3}$/],
  [1, /^[A-Z]$/],
  [4, /^[A-Z0-9 ]{4}$/],
  [5, /^[A-Z0-9 ]{5}$/],
  [1, /^[A-Z0-9 ]$/],
] as const;

function takeLeg(items: Items): { leg: BcbpLeg; conditional: string } | undefined {
  const taken: string[] = [];
  for (const [width, allowed] of ITEMS) {
    const item = items.take(width);
    if (item === undefined || !allowed.test(item)) return undefined;
    taken.push(item.trim());
  }
  const [reference = "", origin = "", destination = "", carrier = "", flight = "", day = ""] = taken;
  const [cabin = "", seat = "", sequence = "", status = ""] = taken.slice(6);
  const dayOfYear = Number(day);
  const conditional = items.takeSection();
  if (dayOfYear < 1 || dayOfYear > 366 || origin === destination || conditional === undefined) return undefined;
  return {
    conditional,
    leg: {
      bookingReference: reference,
      origin,
      destination,
      carrier,
      flightNumber: withoutZeros(flight),
      dayOfYear,
      cabinClassCode: cabin,
      seat: SEAT.exec(seat)?.[1],
      sequenceNumber: sequence === "" ? undefined : withoutZeros(sequence),
      passengerStatus: status === "" ? undefined : status,
    },
  };
}

function withoutZeros(text: string): string {
  return text.replace(/^0+(?=\d)/, "");
}

/**
 * The sections of one leg. The first leg begins with those of the whole pass, after a sign and a version; the airline's
 * own part comes last. A first leg may have the airline's part alone.
 */
function readConditional(text: string, isFirst: boolean): Pick<Bcbp, "issued"> | undefined {
  const items = new Items(text);
  if (text === "" || (isFirst && !text.startsWith(">"))) return { issued: undefined };
  let issued: Bcbp["issued"];
  if (isFirst) {
    if (!/^>[0-9]$/.test(items.take(2) ?? "")) return undefined;
    const unique = items.takeSection();
    if (unique === undefined) return undefined;
    issued = readIssued(unique.slice(3, 7));
  }
  if (items.rest !== "" && items.takeSection() === undefined) return undefined;
  return { issued };
}

function readIssued(text: string): Bcbp["issued"] {
  const [, year, day] = /^(\d)(\d{3})$/.exec(text) ?? [];
  const dayOfYear = Number(day);
  return dayOfYear >= 1 && dayOfYear <= 366 ? { yearDigit: Number(year), dayOfYear } : undefined;
}

/** Whether a text may follow the legs: nothing, blanks, or a sign, the kind, the size and the text of a signature. */
function isSecurity(text: string): boolean {
  if (text.trim() === "") return true;
  const items = new Items(text);
  if (items.take(1) !== "^" || items.take(1) === undefined) return false;
  return items.takeSection() !== undefined && items.rest.trim() === "";
}
