import { z } from "zod";
import { toVisibleText } from "../../domain/visible-text.ts";
import { jsonParser, type OpenSource } from "../../platform/providers/open-source.ts";
import type { Provider } from "../../platform/providers/provider.ts";
import type { Position } from "../../ports/maps.ts";
import {
  type HelpPlace,
  helpKinds,
  type Restaurant,
  type RestaurantQuestion,
  type RestaurantsFound,
} from "../../ports/nearby.ts";

const FRESH_MILLISECONDS = 24 * 3_600_000;
const MOST_FOUND = 60;
const LONGEST_TEXT = 200;
const HELP_METERS = 5_000;
const DIPLOMATIC_METERS = 20_000;

const Point = z.object({ lat: z.number().min(-90).max(90), lon: z.number().min(-180).max(180) });

const parse = jsonParser(
  z.object({
    // A query that ran out of time or memory is answered with partial results and a remark.
    remark: z.undefined().optional(),
    elements: z.array(
      z.object({
        ...Point.partial().shape,
        center: Point.optional(),
        tags: z.record(z.string(), z.string()).default({}),
      }),
    ),
  }),
);
type Found = ReturnType<typeof parse>["elements"][number];

export interface Overpass {
  help: Provider<Position, readonly HelpPlace[]>;
  restaurants: Provider<RestaurantQuestion, RestaurantsFound>;
}

/** Places of OpenStreetMap near a point, from an Overpass server. */
export function createOverpass(source: OpenSource): Overpass {
  const about = {
    source: source.name,
    sourceLevel: "open",
    attribution: ["© OpenStreetMap contributors (ODbL)"],
  } as const;
  const find = async (filters: string, signal?: AbortSignal) => {
    const data = `[out:json][timeout:10];(${filters});out center ${MOST_FOUND};`;
    const { answer, asOf } = await source.read({
      path: "/api/interpreter",
      query: { data },
      freshMilliseconds: FRESH_MILLISECONDS,
      parse,
      signal,
    });
    return { found: answer.elements, asOf };
  };
  return {
    help: {
      ...about,
      async ask(position, signal) {
        const near = `nwr["amenity"~"^(hospital|clinic|pharmacy|police)$"](${around(HELP_METERS, position)});`;
        const offices = `nwr["office"="diplomatic"](${around(DIPLOMATIC_METERS, position)});`;
        const { found, asOf } = await find(near + offices, signal);
        return { answer: found.flatMap((one) => toHelpPlace(one) ?? []), asOf };
      },
    },
    restaurants: {
      ...about,
      async ask({ withinMeters, cuisine, ...position }, signal) {
        const kind = cuisine === undefined ? "" : `["cuisine"~"(^|;) *${cuisine}",i]`;
        const filter = `nwr["amenity"="restaurant"]["name"]${kind}(${around(withinMeters, position)});`;
        const { found, asOf } = await find(filter, signal);
        const restaurants = found.flatMap((one) => toRestaurant(one) ?? []);
        return { answer: { restaurants, arePricesKnown: false }, asOf };
      },
    },
  };
}

/** A ten-thousandth of a degree is eleven meters: neighbors share an answer. */
const around = (meters: number, { latitude, longitude }: Position): string =>
  `around:${meters},${latitude.toFixed(4)},${longitude.toFixed(4)}`;

function toHelpPlace(found: Found): HelpPlace | undefined {
  const place = toPlace(found);
  const { amenity, office } = found.tags;
  const kind = helpKinds.find((one) => one === (office === "diplomatic" ? office : amenity));
  return place === undefined || kind === undefined ? undefined : { ...place, kind };
}

function toRestaurant(found: Found): Restaurant | undefined {
  const place = toPlace(found);
  if (place === undefined || place.name === "") return undefined;
  const cuisines =
    toText(found.tags.cuisine)
      ?.split(";")
      .map((one) => one.trim().replaceAll("_", " ")) ?? [];
  const wheelchair = (["yes", "limited", "no"] as const).find((one) => one === found.tags.wheelchair) ?? null;
  return { ...place, cuisines, wheelchair, priceLevel: null, placeId: null };
}

function toPlace({ lat, lon, center, tags }: Found) {
  const [latitude, longitude] = [lat ?? center?.lat, lon ?? center?.lon];
  if (latitude === undefined || longitude === undefined) return undefined;
  const street = [tags["addr:street"], tags["addr:housenumber"]].filter((one) => one !== undefined).join(" ");
  const website = tags.website ?? tags["contact:website"];
  return {
    latitude,
    longitude,
    name: toText(tags.name) ?? "",
    address: toText(street === "" ? undefined : [street, tags["addr:city"] ?? ""].join(", ").replace(/, $/, "")),
    phone: toText(tags.phone ?? tags["contact:phone"]),
    website: website !== undefined && /^https?:\/\/[^\s]+$/.test(website) ? toText(website) : null,
    openingHours: toText(tags.opening_hours),
  };
}

/** Anyone may edit these texts. */
function toText(text: string | undefined): string | null {
  return text === undefined ? null : toVisibleText(text, LONGEST_TEXT);
}
