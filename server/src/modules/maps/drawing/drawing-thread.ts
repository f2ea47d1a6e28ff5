import { parentPort } from "node:worker_threads";
import { Resvg } from "@resvg/resvg-js";
import { drawMap } from "./draw-map.ts";
import { FONT_FAMILY, fontFiles } from "./fonts.ts";
import { loadGeography } from "./geography.ts";
import { encodeIndexedPng } from "./indexed-png.ts";
import { type DrawnMap, MAP_SIZE, type MapScene } from "./scene.ts";
import { styles } from "./themes.ts";

/** The thread of a `MapRenderer`: takes a scene, returns a map or the text of an error. */
const draw = createMapDrawer();

parentPort?.on("message", (scene: MapScene) => {
  try {
    parentPort?.postMessage({ drawn: draw(scene) });
  } catch (error) {
    parentPort?.postMessage({ error: String(error) });
  }
});

/** More colors would only be shades at the edges of lines and letters. */
const COLORS = 32;
const COLORS_OF_TILES = 160;

/**
 * Makes the drawing function and loads the geography. A map takes about a tenth of a second, too long for the thread that
 * answers callers.
 */
function createMapDrawer(): (scene: MapScene) => DrawnMap {
  const geography = loadGeography();
  return (scene) => {
    const { kind, plain, full, labelsNotDrawn } = drawMap(scene, geography);
    const colors = scene.streets === undefined ? COLORS : COLORS_OF_TILES;
    return {
      kind,
      svg: renderSvg(full, styles.adaptive),
      lightPng: renderPng(renderSvg(plain, styles.light), colors),
      darkPng: renderPng(renderSvg(plain, styles.dark), colors),
      labelsNotDrawn: [...new Set(labelsNotDrawn)],
    };
  };
}

function renderSvg(content: string, style: string): string {
  const { width, height } = MAP_SIZE;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"><style>${style}</style>\n${content}\n</svg>`;
}

function renderPng(svg: string, mostColors: number): Uint8Array {
  const image = new Resvg(svg, {
    font: { fontFiles: [...fontFiles], loadSystemFonts: false, defaultFontFamily: FONT_FAMILY },
  }).render();
  return encodeIndexedPng(image.pixels, image.width, image.height, mostColors);
}
