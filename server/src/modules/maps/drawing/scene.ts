/** Everything a route map shows, with texts in the reader's language. Passed to the drawing thread. */
export interface MapScene {
  title: string;
  subtitle: string;
  /** The note on the map's accuracy, by how much of the world it shows. */
  notes: Readonly<Record<MapKind, string>>;
  /** Formats the numbers of the scale. */
  locale: string;
  stops: readonly SceneStop[];
  shape: RouteShape;
  /** Cities for orientation, largest first. */
  cities: readonly ScenePoint[];
  /** Undefined: no streets are known, and the plain ground is drawn. */
  streets: Streets | undefined;
}

/** Map tiles, positioned by `layTiles`. */
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
  /** The distance of the leg that ends here; empty for the first stop. */
  legDistance: string;
}

/** `through`: from each stop to the next · `star`: from the first stop to each of the others. */
export type RouteShape = "through" | "star";

/** `city`: schematic · `region` and `world`: coasts and borders. */
export type MapKind = "city" | "region" | "world";

export interface DrawnMap {
  kind: MapKind;
  /** Adapts to light and dark mode. */
  svg: string;
  lightPng: Uint8Array;
  darkPng: Uint8Array;
  /** Labels that the pictures lack: the font has no glyphs for their script, or there was no room. */
  labelsNotDrawn: readonly string[];
}

export const MAP_SIZE = { width: 1_000, height: 625 } as const;
/** The route stays inside this box, which leaves room for the title and the labels. */
export const INNER = { left: 110, top: 140, width: 760, height: 405 } as const;
