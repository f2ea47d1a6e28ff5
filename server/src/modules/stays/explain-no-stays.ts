import type { CallOptions } from "../../ports/supplier/flights.ts";
import type { StaySearch, Stays } from "../../ports/supplier/stays.ts";

interface Relaxed {
  argument: "location" | "checkInDate" | "guests" | "rooms";
  /** The advice if relaxing this argument helps. */
  hint: string;
  query: StaySearch;
}

/** From the middle of a place well beyond its edges. */
const WIDER_KILOMETERS = 50;
const DAYS_LATER = 7;

function relaxations(query: StaySearch): Relaxed[] {
  const { guests, childAges = [], rooms } = query;
  const [checkInDate, checkOutDate] = [query.checkInDate, query.checkOutDate].map((date) =>
    Temporal.PlainDate.from(date).add({ days: DAYS_LATER }).toString(),
  );
  if (checkInDate === undefined || checkOutDate === undefined) return [];
  const wider = { ...query, radiusKilometers: WIDER_KILOMETERS };
  const all: (Relaxed | undefined)[] = [
    { argument: "location", hint: `there are rooms within ${WIDER_KILOMETERS} km: name a larger place`, query: wider },
    {
      argument: "checkInDate",
      hint: `there are rooms a week later, from ${checkInDate}`,
      query: { ...query, checkInDate, checkOutDate },
    },
    guests > rooms && childAges.length === 0
      ? {
          argument: "guests",
          hint: "there are rooms for fewer guests: take more rooms",
          query: { ...query, guests: rooms },
        }
      : undefined,
    rooms > 1
      ? {
          argument: "rooms",
          hint: "there are places with a single room: search for fewer",
          query: { ...query, rooms: 1 },
        }
      : undefined,
  ];
  return all.filter((one) => one !== undefined);
}

/** Finds the arguments that left a search empty: those without which the supplier has rooms. */
export async function explainNoStays(
  stays: Pick<Stays, "searchAccommodations">,
  query: StaySearch,
  options: CallOptions,
): Promise<{ detail: string; emptiedBy: string[] }> {
  const tried = await Promise.all(
    relaxations(query).map(async (relaxed) => {
      // A failed search explains nothing.
      const found = await stays.searchAccommodations(relaxed.query, 1, options).catch(() => undefined);
      return found === undefined || found.accommodations.length === 0 ? [] : [relaxed];
    }),
  );
  const helped = tried.flat();
  const said = `The supplier has no rooms there from ${query.checkInDate} to ${query.checkOutDate} that fit everything`;
  if (helped.length === 0) {
    const detail = `${said}, nor within ${WIDER_KILOMETERS} km, a week later or for fewer guests. Try another place.`;
    return { detail, emptiedBy: [] };
  }
  const hints = helped.map(({ argument, hint }) => `${argument}: ${hint}`).join("; ");
  return { detail: `${said}. ${hints}.`, emptiedBy: helped.map(({ argument }) => argument) };
}
