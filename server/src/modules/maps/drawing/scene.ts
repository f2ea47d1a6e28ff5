/** What a route map shows; texts are in the reader's language already. Passed to the thread that draws. */
export interface MapScene {
  title: string;
  subtitle: string;
  /** What must be said of how true to life the map is, by how much of the world it shows. */
  notes: Readonly<Record<MapKind, string>>;
  /** For the numbers of the scale. */
  locale: string;
  stops: readonly SceneStop[];
  shape: RouteShape;
  /** Cities for orientation, biggest first. */
  cities: readonly ScenePoint[];
  /** Undefined: none are known, and the ground is drawn. */
  streets: Streets | undefined;
}

/** Pictures of the ground, which lie as `layTiles` says. */
export interface Streets {
  zoom: number;
  tiles: readonly { left: number; top: number; pngBase64: string }[];
}

export interface ScenePoint {
  label: string;
  latitude: number;
  longitude: number;
}

interface SceneStop extends ScenePoint {
  /** Of the leg that ends here; empty for the first. */
  legDistance: string;
}

/** `through`: from each stop to the next one · `star`: from the first to each of the others. */
export type RouteShape = "through" | "star";

/** `city`: schematic · `region` and `world`: coasts and borders. */
export type MapKind = "city" | "region" | "world";

export interface DrawnMap {
  kind: MapKind;
  /** For light and dark surroundings, as the reader's device asks for. */
  svg: string;
  lightPng: Uint8Array;
  darkPng: Uint8Array;
  /** Labels that are not in the pictures as they were given: the font lacks their script, or there was no room. */
  labelsNotDrawn: readonly string[];
}

export const MAP_SIZE = { width: 1_000, height: 625 } as const;
/** The route stays within: the title stands above, and labels need room. */
export const INNER = { left: 110, top: 140, width: 760, height: 405 } as const;
