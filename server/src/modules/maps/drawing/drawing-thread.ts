import { parentPort } from "node:worker_threads";
import { createMapDrawer } from "./render-map.ts";
import type { MapScene } from "./scene.ts";

/** The thread of a `MapRenderer`: a scene in, a map or the text of an error out. */
const draw = createMapDrawer();

parentPort?.on("message", (scene: MapScene) => {
  try {
    parentPort?.postMessage({ drawn: draw(scene) });
  } catch (error) {
    parentPort?.postMessage({ error: String(error) });
  }
});
