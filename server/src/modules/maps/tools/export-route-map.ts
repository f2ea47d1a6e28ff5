import { z } from "zod";
import { Latitude, Longitude, ProviderProvenance } from "../../../domain/schemas.ts";
import { wordsIn } from "../../../domain/texts.ts";
import { toVisibleText } from "../../../domain/visible-text.ts";
import { ChannelText, channels, fitToChannel } from "../channel-text.ts";
import { defineTool } from "../context.ts";
import { buildDeepLinks, DeepLinks, travelModes } from "../deep-links.ts";
import { MapAnswer, makeRouteMap, mapAttribution } from "../make-route-map.ts";
import { resolveStops, StopAnswer } from "../resolve-stops.ts";
import { buildLegs, LegAnswer, sayDistance, totalKilometers } from "../route-scene.ts";
import { mapTexts } from "../texts.ts";

/** The provenance if no address was looked up. */
const GIVEN = { source: "given coordinates", sourceLevel: "embedded" as const, fallbackFrom: [] };
const LONGEST_TITLE = 120;

const Stop = z
  .strictObject({
    label: z.string().optional().describe("Shown on the map"),
    address: z.string().optional().describe("Place, city or airport; looked up unless coordinates are given"),
    latitude: Latitude.optional(),
    longitude: Longitude.optional(),
    placeId: z.string().optional().describe("Of Google Maps"),
  })
  .superRefine(({ address = "", latitude, longitude, placeId = "" }, context) => {
    if ((latitude === undefined) !== (longitude === undefined)) {
      const missing = latitude === undefined ? "latitude" : "longitude";
      context.addIssue({ code: "custom", path: [missing], message: "give both latitude and longitude" });
    } else if (latitude === undefined && address.trim() === "" && placeId.trim() === "") {
      context.addIssue({ code: "custom", path: [], message: "needs an address, or latitude and longitude" });
    }
  });

export const exportRouteMap = defineTool({
  name: "export_route_map",
  title: "Draw a route map",
  summary: "Draw stops on a map to send, with directions links and a text that fits the channel. Lines are straight.",
  area: "trip",
  effect: "read",
  price: 3_000n,
  payableWithoutKey: true,
  uses: ["maps", "mapTiles", "mapRenderer", "fileShelf", "clock"],
  input: z.strictObject({
    title: z.string().optional(),
    stops: z.array(Stop).min(2).max(10).describe("In order; each needs an address, or latitude and longitude"),
    mode: z.enum(travelModes).default("driving").describe("For the links"),
    channel: z.enum(channels).default("web").describe("The channel that the text is for"),
    notes: z.string().optional().describe("Added to the text"),
    includeStaticMap: z.boolean().default(true).describe("false: links and text only"),
  }),
  output: z.object({
    stops: z.array(StopAnswer),
    legs: z.array(LegAnswer),
    totalDistanceKilometers: z.number(),
    map: MapAnswer.nullable(),
    mapNote: z.string().nullable().describe("Why there is no map"),
    links: DeepLinks,
    card: ChannelText,
    ...ProviderProvenance.shape,
  }),
  errors: {
    stop_not_found:
      "Some addresses or place ids are unknown; stopsNotFound lists them with similar names. A placeId alone needs the operator's key for Google Maps. Use one of those, a city, or latitude and longitude.",
  },
  example: () => ({
    title: "A day in Lisbon",
    stops: [
      { label: "Rossio station", latitude: 38.7144, longitude: -9.1405 },
      { label: "Praça do Comércio", latitude: 38.7075, longitude: -9.1365 },
      { label: "São Jorge Castle", latitude: 38.7139, longitude: -9.1335 },
    ],
    mode: "walking" as const,
    channel: "whatsapp" as const,
  }),

  async run({ title, mode, channel, notes = "", includeStaticMap, ...input }, { fail, caller, call, ...ports }) {
    const { stops: resolved, unknown, provenance } = await resolveStops(input.stops, ports.maps, call.signal);
    if (unknown.length > 0) throw fail("stop_not_found", { extra: { stopsNotFound: unknown } });
    const stops = resolved.map(({ answer }) => answer);
    const drawn = resolved.map((stop) => stop.drawn);
    const words = wordsIn("en");
    const say = mapTexts(words);
    const shownTitle = toVisibleText(title ?? "", LONGEST_TITLE) || say("routeMap");
    const { map, mapNote } = includeStaticMap
      ? await makeRouteMap(ports, { tenantId: caller.tenantId, title: shownTitle, stops: drawn, words }, call.signal)
      : { map: null, mapNote: "Not requested." };
    const legs = buildLegs(stops);
    const links = buildDeepLinks(drawn, mode);
    const distance = sayDistance(totalKilometers(legs), words);
    return {
      stops,
      legs,
      totalDistanceKilometers: totalKilometers(legs),
      map,
      mapNote,
      links,
      card: fitToChannel(
        {
          title: shownTitle,
          summary: say("summary", { count: stops.length, distance }),
          lines: stops.map(({ label }) => label),
          notes,
          picture: map === null ? undefined : { label: say("map"), url: map.lightPngUrl },
          links: [{ label: say("directions"), url: links.google }],
        },
        channel,
      ),
      ...(provenance ?? GIVEN),
      asOf: provenance?.asOf ?? ports.clock.now().toString(),
      attribution: [...new Set([...(provenance?.attribution ?? []), ...mapAttribution(map)])],
    };
  },
});
