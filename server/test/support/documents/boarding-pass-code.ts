/** The contents of a boarding pass's bar code (IATA Resolution 792), as its writer has them. */
export interface PassLeg {
  bookingReference: string;
  origin: string;
  destination: string;
  carrier: string;
  /** As printed, such as `57` or `1234A`. */
  flight: string;
  date: Temporal.PlainDate;
  cabin: string;
  seat: string;
  sequence: string;
  status: string;
}
export interface PassFacts {
  /** FAMILY/GIVEN, at most 20 letters. */
  passenger: string;
  legs: readonly PassLeg[];
  /** Without it the pass has nothing beside what every pass must have. */
  conditional: { version: string; issuedOn: Temporal.PlainDate | undefined; airlineText: string } | undefined;
  security: string | undefined;
}

const size = (text: string): string => text.length.toString(16).toUpperCase().padStart(2, "0");
const sized = (text: string): string => `${size(text)}${text}`;
const dayOfYear = (date: Temporal.PlainDate): string => String(date.dayOfYear).padStart(3, "0");

function flightField(flight: string): string {
  const [, digits = "", suffix = ""] = /^(\d+)([A-Z]?)$/.exec(flight) ?? [];
  return `${digits.padStart(4, "0")}${suffix.padEnd(1)}`;
}

function seatField(seat: string): string {
  return /^\d/.test(seat) ? seat.padStart(4, "0") : seat.padEnd(4);
}

export function writePassCode({ passenger, legs, conditional, security }: PassFacts): string {
  const first = `M${legs.length}${passenger.slice(0, 20).padEnd(20)}E`;
  const parts = legs.map((leg, index) => {
    const mandatory = [
      leg.bookingReference.padEnd(7),
      leg.origin,
      leg.destination,
      leg.carrier.padEnd(3),
      flightField(leg.flight),
      dayOfYear(leg.date),
      leg.cabin,
      seatField(leg.seat),
      `${leg.sequence.padStart(4, "0")} `,
      leg.status,
    ].join("");
    if (conditional === undefined) return `${mandatory}00`;
    const unique = index === 0 ? `>${conditional.version}${sized(uniqueItems(conditional, leg))}` : "";
    return `${mandatory}${sized(`${unique}${sized(repeatedItems(leg))}${conditional.airlineText}`)}`;
  });
  return `${first}${parts.join("")}${security === undefined ? "" : `^1${sized(security)}`}`;
}

/** Passenger description, sources of check-in and of the pass, date of issue, document type, airline that issued it. */
function uniqueItems({ issuedOn }: { issuedOn: Temporal.PlainDate | undefined }, { carrier }: PassLeg): string {
  const issued = issuedOn === undefined ? "    " : `${String(issuedOn.year).slice(-1)}${dayOfYear(issuedOn)}`;
  return `1WW${issued}B${carrier.padEnd(3)}`;
}

/** Airline number, document number, selectee, document check, marketing carrier, program, its number, discount, bags, fast track. */
function repeatedItems({ carrier }: PassLeg): string {
  return ["220", "1234567890", "0", " ", carrier.padEnd(3), carrier.padEnd(3), "".padEnd(16), " ", "1PC", "N"].join("");
}
