import type { z } from "zod";
import type { Airport, Position } from "../../ports/maps.ts";
import type { WayToAirport } from "../maps/index.ts";
import { buildDeepLinks, findWay, type KnownWay, saidOfWays } from "../maps/index.ts";
import type { Ports } from "./context.ts";
import { placeOfNight } from "./find-stay-for-night.ts";
import { AVAILABLE, type HotelAnswer, type TransferAnswer, unavailable } from "./replan-parts.ts";
import type { Setting } from "./replan-setting.ts";
import { airportOfTransfer, type Flown, listAirports } from "./stay-role.ts";

const MOST_OTHERS = 3;

type Transfer = z.input<typeof TransferAnswer>;

interface WantedWay {
  airport: Airport;
  place: Position;
  direction: Transfer["direction"];
}

interface FoundWay extends WantedWay {
  way: WayToAirport;
  known: KnownWay;
  links: ReturnType<typeof buildDeepLinks>;
}

interface Places {
  hotel: z.input<typeof HotelAnswer> | null;
  /** The position of the same user's stay at the destination. */
  ownStay: Position | undefined;
}

/**
 * The ways from the night's lodging to the departure airports of the flights, and from their arrival airports to the
 * stay there. The first is that of the flight in question. Null if no stay is known.
 */
export async function findTransfers(
  setting: Setting,
  flights: readonly Flown[],
  { hotel, ownStay }: Places,
  mode: "driving" | "transit",
  ports: Pick<Ports, "ways" | "maps">,
  signal: AbortSignal,
): Promise<Transfer | null> {
  const { stay, role, origin, destination } = setting;
  const isThere = role === "destination";
  const nightPlace = stay === undefined ? undefined : placeOfNight(isThere ? undefined : stay.place, hotel);
  // There is no way from an airport to itself.
  const isAirport = isThere && stay?.place?.precision === "airport";
  const stayPlace = isThere && !isAirport ? stay?.place : ownStay;
  if (nightPlace === undefined && stayPlace === undefined) {
    if (isAirport)
      return noTransfer("stayLocation is an airport: give the name or address of the stay to get the transfer to it.");
    return stay === undefined ? null : noTransfer("The place of the stay is not known.");
  }
  const meant = airportOfTransfer(flights, isThere ? "destination" : role, setting.night);
  const codes = listAirports(flights);
  const listWays = (
    direction: WantedWay["direction"],
    place: Position | undefined,
    airports: readonly (Airport | undefined)[],
  ) =>
    place === undefined
      ? []
      : airports.flatMap((airport) => (airport === undefined ? [] : [{ airport, place, direction }]));
  const known = (some: readonly string[]) =>
    some
      .toSorted((left, right) => Number(right === meant) - Number(left === meant))
      .map((code) => ports.maps.airport(code));
  const leaving = listWays("to_airport", nightPlace, known(codes.origins));
  const arriving = listWays("from_airport", stayPlace, known(codes.destinations));
  const fallbacks = [
    ...listWays("to_airport", isThere ? undefined : nightPlace, [origin, destination]),
    ...listWays("from_airport", stayPlace, [destination, origin]),
  ];
  const wanted = isThere && !isAirport ? [...arriving, ...leaving] : [...leaving, ...arriving];
  const found = await findAll(wanted.slice(0, MOST_OTHERS + 1), mode, ports, signal);
  return describe(found.length > 0 ? found : (await findAll(fallbacks, mode, ports, signal)).slice(0, 1));
}

async function findAll(
  wanted: readonly WantedWay[],
  mode: "driving" | "transit",
  { ways }: Pick<Ports, "ways">,
  signal: AbortSignal,
): Promise<FoundWay[]> {
  const found = await Promise.all(
    wanted.map(async (one) => {
      const [from, to] = one.direction === "from_airport" ? [one.airport, one.place] : [one.place, one.airport];
      const known = await findWay([from, to], mode, { ways }, signal);
      return known.way === undefined
        ? []
        : [{ ...one, known, way: known.way, links: buildDeepLinks([from, to], mode) }];
    }),
  );
  return found.flat();
}

function describe(found: readonly FoundWay[]): Transfer {
  const [first, ...others] = found;
  if (first === undefined) return noTransfer("The stay is over 300 km from both airports of the leg.");
  const { airport, direction, way, links, known } = first;
  return {
    ...AVAILABLE,
    airport: airport.iataCode,
    direction,
    roadKilometers: way.roadKilometers,
    isEstimate: known.routedBy === undefined,
    source: known.routedBy?.source ?? "distance",
    ...saidOfWays(found.map((one) => one.known)),
    minutes: travelMinutes(way),
    links,
    others: others.map((other) => ({
      airport: other.airport.iataCode,
      direction: other.direction,
      minutes: travelMinutes(other.way),
      roadKilometers: other.way.roadKilometers,
      google: other.links.google,
    })),
    pickUps: {},
  };
}

const travelMinutes = ({ fewestMinutes: fewest, minutes: likely, mostMinutes: most }: WayToAirport) => ({
  fewest,
  likely,
  most,
});

const noTransfer = (reason: string): Transfer => ({
  ...unavailable(reason),
  airport: null,
  direction: "to_airport",
  minutes: null,
  roadKilometers: null,
  links: null,
  others: [],
  isEstimate: true,
  source: "distance",
  attribution: [],
  notes: [],
  pickUps: {},
});
