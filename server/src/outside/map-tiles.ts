import { createOsmTiles } from "../adapters/osm-tiles/index.ts";
import { askProviders } from "../platform/providers/ask-providers.ts";
import type { Clock } from "../ports/clock.ts";
import type { MapTiles, TileName } from "../ports/map-tiles.ts";
import { knowsNothing } from "./knows-nothing.ts";
import { inOrder, type OpenSources, over } from "./open-sources.ts";

const ORDER = ["osm-tiles", "embedded"] as const;

export function openMapTiles({ mapTiles }: Pick<OpenSources, "mapTiles">, clock: Clock): MapTiles {
  const providers = inOrder<(typeof ORDER)[number], readonly TileName[], readonly Uint8Array[]>(ORDER, {
    "osm-tiles": over(mapTiles, createOsmTiles),
    embedded: knowsNothing(clock),
  });
  return { read: (names, signal) => askProviders(providers, names, signal) };
}
