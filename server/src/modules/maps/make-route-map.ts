import { z } from "zod";
import { wordsOfOthers } from "../../domain/schemas.ts";
import type { Ports } from "../../kernel/tool.ts";
import { MapNotDrawn } from "./drawing/map-renderer.ts";
import { MAP_SIZE } from "./drawing/scene.ts";
import { type RouteScene, sceneOf } from "./route-scene.ts";

export const MapAnswer = z.object({
  kind: z.enum(["city", "region", "world"]).describe("city: schematic, without streets"),
  lightPngUrl: z.string(),
  darkPngUrl: z.string(),
  svgUrl: z.string().describe("Light or dark by the reader's device"),
  widthPixels: z.int(),
  heightPixels: z.int(),
  expiresAt: z.string().describe("Whoever has the addresses can read the files until then"),
  labelsNotDrawn: z
    .array(wordsOfOthers())
    .readonly()
    .describe("Names that the pictures lack wholly or in part, for want of a font or of room; numbers stand there"),
});
export type MapAnswer = z.output<typeof MapAnswer>;

export const MAP_ATTRIBUTION = ["Natural Earth (public domain)", "DejaVu Fonts"] as const;

const LIFETIME = Temporal.Duration.from({ hours: 7 * 24 });

type MapPorts = Pick<Ports, "maps" | "mapRenderer" | "fileShelf" | "clock">;

interface MapRequest extends RouteScene {
  tenantId: string;
}

/** Draws the route and puts the pictures where they can be read. A map that cannot be drawn now is left out, and why is said. */
export async function makeRouteMap(
  ports: MapPorts,
  request: MapRequest,
): Promise<{ map: MapAnswer | null; mapNote: string | null }> {
  try {
    const drawn = await ports.mapRenderer.render(sceneOf(request, ports.maps));
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
        ...{ kind, lightPngUrl, darkPngUrl, svgUrl, widthPixels, heightPixels },
        ...{ expiresAt: expiresAt.toString(), labelsNotDrawn },
      },
      mapNote: null,
    };
  } catch (error) {
    if (!(error instanceof MapNotDrawn)) throw error;
    return { map: null, mapNote: `${error.message} Everything else of the answer holds. Call again for the map.` };
  }
}
