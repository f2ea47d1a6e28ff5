import { afterAll, describe, expect, it } from "vitest";
import { exampleRoutes } from "../../../../test/support/example-routes.ts";
import { decodePng } from "../../../../test/support/read-png.ts";
import { createEmbeddedPlaces } from "../../../adapters/embedded-places/index.ts";
import { wordsIn } from "../../../domain/texts.ts";
import { buildScene } from "../route-scene.ts";
import { measureWidth } from "./fonts.ts";
import { MapNotDrawn, MapRenderer } from "./map-renderer.ts";
import { greatCircle } from "./route-line.ts";
import { MAP_SIZE, type ScenePoint } from "./scene.ts";
import { openView } from "./view.ts";

const renderer = new MapRenderer();
afterAll(() => renderer.close());

const point = (latitude: number, longitude: number, label = "x") => ({ latitude, longitude, label });
const maps = createEmbeddedPlaces();
const scene = (stops: readonly ScenePoint[]) => buildScene({ title: "Test", stops, words: wordsIn("en") }, maps);

/** The light colors of the style. */
const SEA = [0xdb, 0xe7, 0xf0];
const LAND = [0xfb, 0xfa, 0xf6];

describe("a view", () => {
  it.each([
    ["over the antimeridian", [point(-18.14, 178.44), point(-13.83, -171.76)], 1_160],
    ["over the pole", [point(71.3, -156.8), point(78.2, 15.6)], 3_400],
  ])("shows a route %s in one piece", (_name, stops, kilometers) => {
    const view = openView(stops);
    const pixels = view.legs.flat().map((at) => view.locate(at) ?? [0, 0]);
    const steps = pixels
      .slice(1)
      .map(([x = 0, y = 0], index) => Math.hypot(x - (pixels[index]?.[0] ?? 0), y - (pixels[index]?.[1] ?? 0)));
    const [shortest, longest] = [Math.min(...steps), Math.max(...steps)];
    expect(longest).toBeLessThan(1.05 * shortest);
    // A straight line through the middle of the picture, as long as the route.
    const shown = (steps.reduce((sum, step) => sum + step, 0) / view.pixelsOfRadian) * 6_371;
    expect(Math.abs(shown - kilometers)).toBeLessThan(0.03 * kilometers);
  });

  it.each(Object.keys(exampleRoutes))("has every stop of the route %s within the picture", (name) => {
    const view = openView(exampleRoutes[name]?.stops ?? []);
    for (const stop of exampleRoutes[name]?.stops ?? []) {
      const [x, y] = view.locate([stop.longitude, stop.latitude]) ?? [-1, -1];
      expect(x > 30 && x < MAP_SIZE.width - 30 && y > 100 && y < MAP_SIZE.height - 30, stop.label).toBe(true);
    }
  });

  it("takes the shortest way between nearly antipodal places", () => {
    const way = greatCircle([-3.7, 40.4], [176.3, -40.4]);
    expect(way.every((at) => at.every(Number.isFinite))).toBe(true);
    expect(way.length).toBeGreaterThan(170);
  });
});

describe("a drawing", () => {
  it("has sea and land in the right places, on both sides of the antimeridian", async () => {
    const route = exampleRoutes.transpacific;
    const { lightPng } = await renderer.render(scene(route?.stops ?? []));
    const { colorAt } = decodePng(Buffer.from(lightPng));
    const view = openView(route?.stops ?? []);
    const colorAtPosition = (longitude: number, latitude: number) => {
      const [x, y] = view.locate([longitude, latitude]) ?? [0, 0];
      return colorAt(Math.round(x), Math.round(y));
    };
    for (const [longitude, latitude] of [
      [170, 33],
      [-170, 25],
      [-140, 38],
      [152, 12],
    ] as const) {
      expect(colorAtPosition(longitude, latitude), `${longitude} ${latitude}`).toEqual(SEA);
    }
    for (const [longitude, latitude] of [
      [105, 35.5],
      [-121, 45],
      [114, 0.5],
    ] as const) {
      expect(colorAtPosition(longitude, latitude), `${longitude} ${latitude}`).toEqual(LAND);
    }
  });

  const crowd = Array.from({ length: 10 }, (_, index) =>
    point(48.85 + (index % 3) * 0.003, 2.33 + index * 0.002, `Hotel number ${index}`),
  );
  it.each([...Object.entries(exampleRoutes), ["a crowd", { stops: crowd }] as const])(
    "of %s has labels that cover no other, no marker, and are within the picture",
    async (_name, { stops }) => {
      const { svg, labelsNotDrawn } = await renderer.render(scene(stops));
      const labels = [...svg.matchAll(/<text class="stop haloed" x="([\d.]+)" y="([\d.]+)">([^<]+)</g)].map(
        ([, x, y, text = ""]) => ({
          left: Number(x),
          top: Number(y) - 14,
          bottom: Number(y) + 4,
          right: Number(x) + measureWidth(text, 16, "bold"),
        }),
      );
      const markers = [
        ...svg.matchAll(/<rect class="marker" x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"/g),
      ].map(([, x, y, width, height]) => ({
        left: Number(x),
        top: Number(y),
        right: Number(x) + Number(width),
        bottom: Number(y) + Number(height),
      }));
      expect(labelsNotDrawn).toEqual([]);
      expect(labels).toHaveLength(markers.length);
      labels.forEach((one, index) => {
        expect(one.left > 0 && one.right < MAP_SIZE.width && one.top > 0 && one.bottom < MAP_SIZE.height).toBe(true);
        for (const other of [...labels.slice(index + 1), ...markers]) {
          const covers =
            one.left < other.right && one.right > other.left && one.top < other.bottom && one.bottom > other.top;
          expect(covers, `${JSON.stringify(one)} ${JSON.stringify(other)}`).toBe(false);
        }
      });
    },
  );
});

describe("a renderer", () => {
  const some = scene(exampleRoutes.city?.stops ?? []);

  it("gives up after its time limit, and draws the next map", async () => {
    const impatient = new MapRenderer({ timeoutMilliseconds: 1 });
    await expect(impatient.render(some)).rejects.toMatchObject({ name: "MapNotDrawn", reason: "timeout" });
    await impatient.close();
    await expect(renderer.render(some)).resolves.toMatchObject({ kind: "city" });
  });

  it("limits its queue, and ends it when closed", async () => {
    const small = new MapRenderer({ mostWaiting: 2 });
    const ends = Array.from({ length: 5 }, () => small.render(some).catch((error: unknown) => error));
    await small.close();
    const outcomes = await Promise.all(ends);
    expect(outcomes.map((one) => one instanceof MapNotDrawn && one.reason)).toEqual([
      "failed",
      "failed",
      "failed",
      "busy",
      "busy",
    ]);
  });

  it("continues after a scene that cannot be drawn", async () => {
    const broken = { ...some, locale: "not a locale" };
    await expect(renderer.render(broken)).rejects.toMatchObject({ reason: "failed" });
    await expect(renderer.render(some)).resolves.toMatchObject({ kind: "city" });
  });
});
