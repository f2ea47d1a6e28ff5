import { Failure } from "../../../domain/errors.ts";

/**
 * Airlines sell seats by age. Suppliers take adults as such, and anyone younger by the age on the day of the journey's
 * last departure; a child under two then has no seat and travels on an adult's lap.
 */
export const ADULT_AGE = 18;
export const INFANT_AGE = 2;
/** Suppliers give no ages for fare types, such as students: airlines count travelers as adults from this age on. */
const FARE_TYPE_AGE = 12;

interface ExpectedPassenger {
  type: string | null;
  age?: number | undefined;
  fareType: string | null;
}

/** A traveler, by any id that the caller knows. */
interface AgedTraveler {
  userId: string;
  customerUserId?: string;
  bornOn: string;
}

/** The day that determines ages. Undefined if the supplier does not say. */
export function findTravelDay(departuresLocal: readonly (string | null | undefined)[]): string | undefined {
  return departuresLocal.at(-1)?.slice(0, "2027-01-20".length);
}

function ageOn(day: string, bornOn: string): number {
  return Temporal.PlainDate.from(bornOn).until(day, { largestUnit: "years" }).years;
}

/** As a search takes it. Undefined for an adult. */
export function searchedAge(bornOn: string, day: string): number | undefined {
  const age = ageOn(day, bornOn);
  return age < ADULT_AGE ? age : undefined;
}

/** The range of ages of a passenger. */
function ageRange({ type, age, fareType }: ExpectedPassenger): readonly [number, number] {
  const kind = type ?? fareType ?? "adult";
  if (kind.includes("infant")) return [0, INFANT_AGE - 1];
  if (age !== undefined && age < ADULT_AGE) return [age, age];
  if (kind.endsWith("child")) return [INFANT_AGE, ADULT_AGE - 1];
  return [type === null && fareType !== null ? FARE_TYPE_AGE : ADULT_AGE, Number.POSITIVE_INFINITY];
}

export const isInfant = (passenger: ExpectedPassenger): boolean => ageRange(passenger)[1] < INFANT_AGE;

export const isAdult = (traveler: AgedTraveler, day: string): boolean => ageOn(day, traveler.bornOn) >= ADULT_AGE;

function fits(traveler: AgedTraveler, passenger: ExpectedPassenger, day: string): boolean {
  const [youngest, oldest] = ageRange(passenger);
  const age = ageOn(day, traveler.bornOn);
  return age >= youngest && age <= oldest;
}

/** Assigns travelers to passengers, keeping the caller's order if it fits. Undefined for a passenger without a traveler. */
function assign<Traveler extends AgedTraveler>(
  travelers: readonly Traveler[],
  passengers: readonly ExpectedPassenger[],
  day: string,
): (Traveler | undefined)[] {
  const places: (Traveler | undefined)[] = passengers.map(() => undefined);
  const seat = (traveler: Traveler, tried: Set<number>): boolean => {
    const own = travelers.indexOf(traveler);
    for (const index of [own, ...passengers.keys()]) {
      const passenger = passengers[index];
      if (passenger === undefined || tried.has(index) || !fits(traveler, passenger, day)) continue;
      tried.add(index);
      const before = places[index];
      if (before !== undefined && !seat(before, tried)) continue;
      places[index] = traveler;
      return true;
    }
    return false;
  };
  for (const traveler of travelers) seat(traveler, new Set());
  return places;
}

/**
 * The travelers in the order of their passengers. Throws a Failure if their ages differ from those of the search, or if
 * none of them is an adult.
 */
export function inPlaces<Traveler extends AgedTraveler>(
  travelers: readonly Traveler[],
  passengers: readonly ExpectedPassenger[],
  day: string,
): Traveler[] {
  const places = assign(travelers, passengers, day);
  const left = travelers.filter((traveler) => !places.includes(traveler));
  const open = passengers.filter((_, index) => places[index] === undefined);
  if (left.length > 0 || open.length > 0) throw mismatch(left, open, day);
  const adults = travelers.filter((traveler) => isAdult(traveler, day)).length;
  if (adults === 0) throw unaccompanied(travelers, day);
  if (passengers.filter(isInfant).length > adults) throw mismatch([], [{ type: "adult", fareType: null }], day);
  return places.flatMap((traveler) => traveler ?? []);
}

const pickIds = ({ userId, customerUserId }: AgedTraveler) => ({
  userId,
  ...(customerUserId === undefined ? {} : { customerUserId }),
});
const nameTraveler = ({ userId, customerUserId }: AgedTraveler): string => customerUserId ?? userId;

const SEARCH =
  "Search with search_more_flights, passing in ages how old each passenger is on that day, then book one of its offers. Nothing was booked.";

function mismatch(left: readonly AgedTraveler[], open: readonly ExpectedPassenger[], day: string): Failure {
  const expected = open.map(describePassenger).join(", ");
  const who = left.map(nameTraveler).join(", ");
  const why =
    left.length === 0
      ? `The offer is also for ${expected}, and none of the named travelers is of that age on ${day}.`
      : `The offer is for ${expected === "" ? "nobody else" : expected}, and ${who} ${left.length === 1 ? "is" : "are"} not of that age on ${day}.`;
  return new Failure("passenger_type_mismatch", {
    detail: `${why} ${SEARCH}`,
    extra: { travelers: left.map(pickIds), expectedPassengers: open.map(toExpected), travelDay: day },
  });
}

function unaccompanied(travelers: readonly AgedTraveler[], day: string): Failure {
  return new Failure("passenger_type_mismatch", {
    detail: `None of the named travelers is ${ADULT_AGE} or older on ${day}, and unaccompanied minors cannot be booked here: airlines take them only by special arrangement. Name an adult who travels too, or ask the airline. Nothing was booked.`,
    extra: {
      travelers: travelers.map(pickIds),
      travelDay: day,
      expectedPassengers: [toExpected({ type: "adult", fareType: null })],
    },
  });
}

const toExpected = ({ type, age, fareType }: ExpectedPassenger) => ({
  ...(type === null ? {} : { type }),
  ...(age === undefined ? {} : { age }),
  ...(fareType === null ? {} : { fareType }),
});

function describePassenger(passenger: ExpectedPassenger): string {
  const [youngest, oldest] = ageRange(passenger);
  if (oldest < INFANT_AGE) return `an infant under ${INFANT_AGE}`;
  if (youngest === oldest) return `a child of ${youngest}`;
  if (oldest < ADULT_AGE) return `a child of ${youngest} to ${oldest}`;
  const of = `${youngest} or older`;
  return youngest === ADULT_AGE ? `an adult of ${of}` : `a passenger of ${of}`;
}
