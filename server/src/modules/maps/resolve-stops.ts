import { z } from "zod";
import { distanceMeters } from "../../domain/distance.ts";
import { wordsOfOthers } from "../../domain/schemas.ts";
import { toVisibleText } from "../../domain/visible-text.ts";
import type { Maps, Place } from "../../ports/maps.ts";
import { addressForLinks } from "./deep-links.ts";

const LONGEST_LABEL = 120;
const LONGEST_ADDRESS = 300;
const CANDIDATES = 4;
/** An address and coordinates farther apart than this are not the same place. */
const SAME_PLACE_METERS = 50_000;

interface StopInput {
  label?: string | undefined;
  address?: string | undefined;
  latitude?: number | undefined;
  longitude?: number | undefined;
  placeId?: string | undefined;
}

export const StopAnswer = z.object({
  number: z.int(),
  label: wordsOfOthers(),
  latitude: z.number(),
  longitude: z.number(),
  precision: z
    .enum(["given", "address", "landmark", "neighborhood", "city", "airport", "region"])
    .describe("given: from your coordinates"),
  note: z.string().nullable(),
});
type RouteStop = z.output<typeof StopAnswer>;

interface ResolvedStop {
  answer: RouteStop;
  /** For the map and its links: an address that is not known here is drawn as the wider place. */
  drawn: { label: string; latitude: number; longitude: number; address: string | undefined };
}

/** A stop whose address was not found. */
interface UnknownStop {
  number: number;
  address: string;
  /** If it is all that the stop has. */
  placeId?: string;
  nearMatches: readonly string[];
}

interface Resolved {
  stops: ResolvedStop[];
  unknown: UnknownStop[];
  /** The provenance of the looked-up addresses; undefined if there were none. */
  provenance: Awaited<ReturnType<Maps["findPlaces"]>>["provenance"] | undefined;
}

/** Resolves each stop by its coordinates, or else by looking up its address. */
export async function resolveStops(inputs: readonly StopInput[], maps: Maps, signal: AbortSignal): Promise<Resolved> {
  const resolved: Resolved = { stops: [], unknown: [], provenance: undefined };
  for (const [index, input] of inputs.entries()) {
    const address = toVisibleText(input.address ?? "", LONGEST_ADDRESS);
    const byId = isPlaceId(input) ? await maps.findPlaceById(input.placeId, signal) : undefined;
    if (byId !== undefined) {
      resolved.stops.push(toStopById(input, index + 1, byId));
      continue;
    }
    const found = address === "" ? undefined : await maps.findPlaces(address, { limit: CANDIDATES, signal });
    resolved.provenance = mergeProvenance(resolved.provenance, found?.provenance);
    const stop = toStop(input, index + 1, address, found);
    if (stop === undefined)
      resolved.unknown.push({
        number: index + 1,
        address,
        ...(address === "" && input.placeId !== undefined
          ? { placeId: toVisibleText(input.placeId, LONGEST_ADDRESS) }
          : {}),
        nearMatches: found?.nearMatches ?? [],
      });
    else resolved.stops.push(stop);
  }
  return resolved;
}

const isPlaceId = (input: StopInput): input is StopInput & { placeId: string } =>
  input.placeId !== undefined && input.placeId !== "" && input.latitude === undefined;

function toStopById({ label = "" }: StopInput, number: number, place: Place): ResolvedStop {
  const { latitude, longitude, precision } = place;
  const shown = toVisibleText(label, LONGEST_LABEL) || toVisibleText(place.label, LONGEST_LABEL);
  return {
    answer: { number, label: shown, latitude, longitude, precision, note: `placeId is ${place.label}.` },
    drawn: { label: shown, latitude, longitude, address: undefined },
  };
}

type Provenance = Resolved["provenance"];

/** Keeps the provenance of the first look-up, with the attributions and failed sources of both. */
function mergeProvenance(one: Provenance, other: Provenance): Provenance {
  if (one === undefined || other === undefined) return one ?? other;
  const known = new Set(one.fallbackFrom.map(({ source, reason }) => `${source} ${reason}`));
  const further = other.fallbackFrom.filter(({ source, reason }) => !known.has(`${source} ${reason}`));
  return {
    ...one,
    attribution: [...new Set([...one.attribution, ...other.attribution])],
    fallbackFrom: [...one.fallbackFrom, ...further],
  };
}

function toStop(
  { label = "", latitude, longitude, placeId }: StopInput,
  number: number,
  address: string,
  found: Awaited<ReturnType<Maps["findPlaces"]>> | undefined,
): ResolvedStop | undefined {
  const [best, ...others] = found?.candidates ?? [];
  const name = toVisibleText(label, LONGEST_LABEL) || toVisibleText(address, LONGEST_LABEL);
  const unread =
    placeId === undefined || placeId === ""
      ? []
      : ["placeId was not looked up: the place was taken from the other fields"];
  if (latitude !== undefined && longitude !== undefined) {
    const notes = [...unread, ...disagreement({ latitude, longitude }, best)];
    const shown = name === "" ? `${latitude.toFixed(4)}, ${longitude.toFixed(4)}` : name;
    return {
      answer: { number, label: shown, latitude, longitude, precision: "given", note: joined(notes) },
      drawn: { label: shown, latitude, longitude, address: undefined },
    };
  }
  if (best === undefined) return undefined;
  const elsewhere = others.filter((other) => distanceMeters(other, best) > SAME_PLACE_METERS);
  const notes = [
    ...unread,
    `The address was taken as ${best.label}`,
    ...(best.unknownPart === null ? [] : [`This part is not known and was ignored: ${best.unknownPart}`]),
    ...(elsewhere.length === 0 ? [] : [`It could also be: ${elsewhere.map((other) => other.label).join("; ")}`]),
  ];
  const at = { latitude: best.latitude, longitude: best.longitude };
  return {
    answer: { number, label: name, ...at, precision: best.precision, note: joined(notes) },
    drawn: { label: best.unknownPart === null ? name : best.label, ...at, address: addressForLinks(best) },
  };
}

const joined = (notes: readonly string[]): string | null => (notes.length === 0 ? null : `${notes.join(". ")}.`);

function disagreement(
  given: { latitude: number; longitude: number },
  best: { latitude: number; longitude: number; label: string } | undefined,
): string[] {
  if (best === undefined) return [];
  const meters = distanceMeters(given, best);
  if (meters <= SAME_PLACE_METERS) return [];
  return [
    `The coordinates are ${Math.round(meters / 1_000)} km from ${best.label}, which the address was taken as: the coordinates were used`,
  ];
}
