// Draws the example routes into docs/maps, to be looked at after a change of how maps are drawn.
import { mkdirSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { createEmbeddedPlaces } from "../src/adapters/embedded-places/index.ts";
import { wordsIn } from "../src/domain/texts.ts";
import { MapRenderer } from "../src/modules/maps/drawing/map-renderer.ts";
import { buildScene } from "../src/modules/maps/route-scene.ts";
import { exampleRoutes } from "../test/support/example-routes.ts";

const folder = resolve(import.meta.dirname, "../../docs/maps");
mkdirSync(folder, { recursive: true });
const renderer = new MapRenderer();
const maps = createEmbeddedPlaces();
for (const [name, route] of Object.entries(exampleRoutes)) {
  const { lightPng, darkPng } = await renderer.render(buildScene({ ...route, words: wordsIn("en") }, maps));
  writeFileSync(resolve(folder, `${name}-light.png`), lightPng);
  writeFileSync(resolve(folder, `${name}-dark.png`), darkPng);
}
await renderer.close();
