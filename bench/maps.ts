// How long a route map of ten stops takes, how large it is, and how long the event loop stands still meanwhile.
import { monitorEventLoopDelay } from "node:perf_hooks";
import { createEmbeddedPlaces } from "../server/src/adapters/embedded-places/index.ts";
import { wordsIn } from "../server/src/domain/texts.ts";
import { MapRenderer } from "../server/src/modules/maps/drawing/map-renderer.ts";
import { buildScene } from "../server/src/modules/maps/route-scene.ts";
import { exampleRoutes } from "../server/test/support/example-routes.ts";

const ROUNDS = 30;
const WARM_UP = 5;

const maps = createEmbeddedPlaces();
const renderer = new MapRenderer();
const print = (line: string) => process.stdout.write(`${line}\n`);

for (const [name, route] of Object.entries(exampleRoutes)) {
  const times: number[] = [];
  let bytes = 0;
  for (let round = 0; round < WARM_UP; round += 1) {
    await renderer.render(buildScene({ ...route, words: wordsIn("en") }, maps));
  }
  const loop = monitorEventLoopDelay({ resolution: 1 });
  loop.enable();
  for (let round = 0; round < ROUNDS; round += 1) {
    const start = performance.now();
    const { lightPng, darkPng } = await renderer.render(buildScene({ ...route, words: wordsIn("en") }, maps));
    times.push(performance.now() - start);
    bytes = Math.max(lightPng.length, darkPng.length);
  }
  loop.disable();
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share: number) => (sorted[Math.floor(share * (ROUNDS - 1))] ?? 0).toFixed(0);
  print(
    `${name}: ${route.stops.length} stops, both pictures and the SVG in ${at(0.5)} ms (p90 ${at(0.9)} ms), PNG ${(bytes / 1_000).toFixed(1)} kB, event loop p99 ${(loop.percentile(99) / 1e6).toFixed(1)} ms`,
  );
}
await renderer.close();
