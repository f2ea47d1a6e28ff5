import type { ProviderProvenance } from "../../domain/schemas.ts";
import type { MapTiles } from "../../ports/map-tiles.ts";
import { lineOf } from "./drawing/route-line.ts";
import type { RouteShape, ScenePoint, Streets } from "./drawing/scene.ts";
import { layTiles, streetZoomOf } from "./drawing/street-view.ts";

interface StreetsFound {
  /** Undefined: the ground is drawn. */
  streets: Streets | undefined;
  /** Undefined: nobody was asked, as the route goes too far for streets. */
  provenance: ProviderProvenance | undefined;
}

/** The streets below a route, where somebody who has them is configured and answers. */
export async function findStreets(
  stops: readonly ScenePoint[],
  shape: RouteShape | undefined,
  { mapTiles }: { mapTiles: MapTiles },
  signal: AbortSignal,
): Promise<StreetsFound> {
  const line = lineOf(stops, shape);
  const zoom = streetZoomOf(line);
  if (zoom === undefined) return { streets: undefined, provenance: undefined };
  const laid = layTiles(line, zoom);
  const { answer, provenance } = await mapTiles.read(
    laid.map(({ name }) => name),
    signal,
  );
  if (answer === undefined) return { streets: undefined, provenance };
  const tiles = laid.map(({ left, top }, index) => ({
    ...{ left, top, pngBase64: Buffer.from(answer[index] ?? []).toString("base64") },
  }));
  return { streets: { zoom, tiles }, provenance };
}
