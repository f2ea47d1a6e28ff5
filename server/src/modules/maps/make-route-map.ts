import { z } from "zod";
import { ProviderProvenance, wordsOfOthers } from "../../domain/schemas.ts";
import type { MapTiles } from "../../ports/map-tiles.ts";
import type { Ports } from "./context.ts";
import { MapNotDrawn } from "./drawing/map-renderer.ts";
import { buildRouteLine } from "./drawing/route-line.ts";
import { MAP_SIZE, type RouteShape, type ScenePoint, type Streets } from "./drawing/scene.ts";
import { findStreetZoom, layTiles } from "./drawing/street-view.ts";
import { buildScene, type RouteScene } from "./route-scene.ts";

export const MapAnswer = z.object({
  kind: z.enum(["city", "region", "world"]).describe("city: without streets unless ground has them"),
  lightPngUrl: z.string(),
  darkPngUrl: z.string(),
  svgUrl: z.string().describe("Light or dark, depending on the reader's device"),
  widthPixels: z.int(),
  heightPixels: z.int(),
  expiresAt: z.string().describe("Until then, anyone with the URLs can read the files"),
  labelsNotDrawn: z
    .array(wordsOfOthers())
    .readonly()
    .describe(
      "Names that the pictures show only in part or not at all, for lack of a font or space; numbers replace them",
    ),
  ground: ProviderProvenance.describe(
    "The base map: osm-tiles with streets, natural-earth with coasts and borders, or schematic, a plain grid",
  ),
});
export type MapAnswer = z.output<typeof MapAnswer>;

const FONTS = "DejaVu Fonts";
/** The release of the coasts and borders. */
const NATURAL_EARTH_DATE = "2018-05";

/** The attributions to show with the map. */
export const mapAttribution = (map: MapAnswer | null): string[] =>
  map === null ? [] : [...map.ground.attribution, FONTS];

const LIFETIME = Temporal.Duration.from({ hours: 7 * 24 });

export type MapPorts = Pick<Ports, "maps" | "mapTiles" | "mapRenderer" | "fileShelf" | "clock">;

interface MapRequest extends RouteScene {
  tenantId: string;
}

/** Draws the route and stores the pictures. If drawing fails, the answer has no map but says why. */
export async function makeRouteMap(
  ports: MapPorts,
  request: MapRequest,
  signal: AbortSignal,
): Promise<{ map: MapAnswer | null; mapNote: string | null }> {
  try {
    const { streets, provenance } = await findStreets(request.stops, request.shape, ports, signal);
    const drawn = await ports.mapRenderer.render(buildScene(request, ports.maps, streets));
    const expiresAt = ports.clock.now().add(LIFETIME);
    const [lightPngUrl = "", darkPngUrl = "", svgUrl = ""] = await ports.fileShelf.share(
      request.tenantId,
      [
        { fileName: "map.png", contentType: "image/png", content: drawn.lightPng },
        { fileName: "map-dark.png", contentType: "image/png", content: drawn.darkPng },
        { fileName: "map.svg", contentType: "image/svg+xml", content: Buffer.from(drawn.svg) },
      ],
      expiresAt,
    );
    const { kind, labelsNotDrawn } = drawn;
    const { width: widthPixels, height: heightPixels } = MAP_SIZE;
    return {
      map: {
        kind,
        lightPngUrl,
        darkPngUrl,
        svgUrl,
        widthPixels,
        heightPixels,
        expiresAt: expiresAt.toString(),
        labelsNotDrawn,
        ground: streets === undefined || provenance === undefined ? drawnGround(kind, provenance) : provenance,
      },
      mapNote: null,
    };
  } catch (error) {
    if (!(error instanceof MapNotDrawn)) throw error;
    return { map: null, mapNote: `${error.message} The rest of the answer is valid. Call again for the map.` };
  }
}

/** The provenance where no street provider is configured or none answered. */
function drawnGround(kind: MapAnswer["kind"], asked: ProviderProvenance | undefined): ProviderProvenance {
  return {
    source: kind === "city" ? "schematic" : "natural-earth",
    sourceLevel: "embedded",
    asOf: NATURAL_EARTH_DATE,
    attribution: ["Natural Earth (public domain)"],
    fallbackFrom: asked?.fallbackFrom ?? [],
  };
}

interface StreetsFound {
  /** Undefined: the plain ground is drawn. */
  streets: Streets | undefined;
  /** Undefined: no provider was asked, as the route is too long for streets. */
  provenance: ProviderProvenance | undefined;
}

/** Fetches the streets below the route from a configured provider that answers. */
async function findStreets(
  stops: readonly ScenePoint[],
  shape: RouteShape | undefined,
  { mapTiles }: { mapTiles: MapTiles },
  signal: AbortSignal,
): Promise<StreetsFound> {
  const line = buildRouteLine(stops, shape);
  const zoom = findStreetZoom(line);
  if (zoom === undefined) return { streets: undefined, provenance: undefined };
  const laid = layTiles(line, zoom);
  const { answer, provenance } = await mapTiles.read(
    laid.map(({ name }) => name),
    signal,
  );
  if (answer === undefined) return { streets: undefined, provenance };
  const tiles = laid.map(({ left, top }, index) => ({
    left,
    top,
    pngBase64: Buffer.from(answer[index] ?? []).toString("base64"),
  }));
  return { streets: { zoom, tiles }, provenance };
}
