import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { exampleRoutes } from "../../../test/support/example-routes.ts";
import { readPng } from "../../../test/support/read-png.ts";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { requireResult } from "../../../test/support/treasury.ts";
import { exportRouteMap } from "./tools/export-route-map.ts";

let service: TestService;
beforeAll(async () => {
  service = await openSharedService();
});
afterAll(() => service?.[Symbol.asyncDispose]());

const Urls = z.object({ lightPngUrl: z.string(), darkPngUrl: z.string(), svgUrl: z.string() });
const Drawn = z.looseObject({
  map: Urls.extend({ kind: z.string(), expiresAt: z.string(), labelsNotDrawn: z.array(z.string()) }),
  stops: z.array(z.looseObject({ label: z.string(), note: z.string().nullable(), precision: z.string() })),
  card: z.object({ text: z.string(), format: z.string() }),
});
const Problem = z.object({ issues: z.array(z.object({ path: z.string(), message: z.string() })) });

const draw = async (args: unknown) => Drawn.parse(requireResult(await service.call("export_route_map", args)));
const at = (latitude: number, longitude: number, label?: string) => ({ latitude, longitude, label });
const example = exportRouteMap.example(Temporal.PlainDate.from("2027-01-01"));

describe("a route map", () => {
  it("is drawn as pictures and SVG, for light and dark mode, at addresses that expire", async () => {
    const { map, card } = await draw(example);
    expect(map).toMatchObject({ kind: "city", labelsNotDrawn: [] });
    const urls = Urls.parse(map);
    expect(new Set(Object.values(urls)).size).toBe(3);
    for (const url of Object.values(urls)) {
      const response = await fetch(url);
      expect([response.status, response.headers.get("x-content-type-options")]).toEqual([200, "nosniff"]);
      expect(response.headers.get("content-security-policy")).toMatch(/default-src 'none'.*sandbox/);
    }
    const [light, dark] = await Promise.all([readPng(urls.lightPngUrl), readPng(urls.darkPngUrl)]);
    expect([light.width, light.height, dark.width, dark.height]).toEqual([1_000, 625, 1_000, 625]);
    expect(light.colorAt(5, 5)).not.toEqual(dark.colorAt(5, 5));
    const svg = await (await fetch(urls.svgUrl)).text();
    for (const text of ["A day in Lisbon", "Praça do Comércio", "streets are not shown", "prefers-color-scheme:dark"]) {
      expect(svg).toContain(text);
    }
    expect(card.text).toContain(urls.lightPngUrl);
    expect(Temporal.Instant.compare(map.expiresAt, Temporal.Now.instant())).toBe(1);
  });

  it("needs its exact address, of which only a hash is stored", async () => {
    const { map } = await draw(example);
    const [, token = ""] = /files\/(\w{32})\.png$/.exec(map.lightPngUrl) ?? [];
    const rows = await service.sql("select file_name, content_type from shared_file where token_hash = $1", [
      createHash("sha256").update(token).digest(),
    ]);
    expect(rows).toEqual([{ file_name: "map.png", content_type: "image/png" }]);
    const other = `${token.slice(1)}${token[0] === "a" ? "b" : "a"}`;
    for (const path of [other, token.slice(1), `${token}/x`, encodeURIComponent("../../etc/passwd")]) {
      const answer = await service.send(`/api/files/${path}.png`, {});
      expect([answer.status, answer.body.code], path).toEqual([404, "not_found"]);
    }
    await service.sql("update shared_file set expires_at = now() - interval '1 second' where tenant_id = $1", [
      service.tenantId,
    ]);
    expect((await fetch(map.lightPngUrl)).status).toBe(404);
  });

  it("is not drawn if only links and text are requested", async () => {
    const result = requireResult(await service.call("export_route_map", { ...example, includeStaticMap: false }));
    expect(result).toMatchObject({ map: null, mapNote: "Not requested." });
    expect(result.links).toMatchObject({ google: expect.stringContaining("travelmode=walking") });
  });

  it.each([
    ["the poles", [at(90, 0, "North"), at(-90, 120, "South")], "world", []],
    ["one pole", [at(78.2, 15.6), at(90, -170), at(71.3, -156.8)], "region", []],
    ["the antimeridian", [at(-18.14, 178.44, "Suva"), at(-13.83, -171.76, "Apia")], "region", []],
    ["places on opposite sides", [at(40.4, -3.7, "Here"), at(-40.4, 176.3, "There")], "world", []],
    ["one place twice", [at(32.07, 34.77, "A"), at(32.07, 34.77, "A")], "city", []],
    ["right-to-left names", [at(32.07, 34.77, "مطعم النخيل"), at(32.08, 34.78, "שוק הכרמל")], "city", []],
    [
      "names without a font",
      [at(35.68, 139.76, "東京駅"), at(35.7, 139.77, "🗼 Tower")],
      "city",
      ["東京駅", "🗼 Tower"],
    ],
    [
      "names of 2,000 characters",
      [at(1, 2, "long ".repeat(400)), at(2, 3, "ع".repeat(2_000))],
      "region",
      [expect.stringMatching(/^long/), expect.stringMatching(/^ع/)],
    ],
    ["names as code", [at(1, 2, "<script>alert(1)</script>"), at(2, 3, "a&b\u202E")], "region", []],
    [
      "ten stops",
      exampleRoutes.world?.stops.map((stop) => at(stop.latitude, stop.longitude, stop.label)) ?? [],
      "world",
      [],
    ],
  ])("of %s is drawn", async (_name, stops, kind, labelsNotDrawn) => {
    const { map } = await draw({ title: "🧭 Route", stops });
    expect(map).toMatchObject({ kind, labelsNotDrawn });
    const { bytes } = await readPng(map.lightPngUrl);
    expect(bytes).toBeLessThan(60_000);
    expect(await (await fetch(map.svgUrl)).text()).not.toMatch(/<script|NaN|undefined|Infinity/);
  });

  it("takes stops by name, with their interpretations and the alternatives", async () => {
    const stops = [{ address: "Lisbon" }, { label: "Airport", address: "MAD" }, { address: "Springfield" }];
    const { stops: found, map } = await draw({ stops });
    expect(found.map(({ label, precision }) => [label, precision])).toEqual([
      ["Lisbon", "city"],
      ["Airport", "airport"],
      ["Springfield", "city"],
    ]);
    expect(found[2]?.note).toMatch(/was taken as Springfield.*could also be: Springfield/);
    expect(map.kind).toBe("region");
  });

  it("reports an address and coordinates that disagree", async () => {
    const { stops } = await draw({
      stops: [
        { ...at(48.86, 2.35), address: "Tokyo" },
        { ...at(48.9, 2.4), placeId: "x" },
      ],
    });
    expect(stops[0]?.note).toMatch(/\d{4} km from Tokyo.*the coordinates were used/);
    expect(stops[1]?.note).toMatch(/placeId was not looked up/);
  });

  it("names unknown stops, with near matches", async () => {
    const answer = await service.call("export_route_map", { stops: [{ address: "Lisbom" }, at(1, 1)] });
    expect([answer.status, answer.body.code]).toEqual([500, "stop_not_found"]);
    expect(answer.body.stopsNotFound).toMatchObject([
      { number: 1, address: "Lisbom", nearMatches: expect.arrayContaining(["Lisbon, Portugal"]) },
    ]);
  });

  it.each([
    [{ stops: [at(1, 1)] }, "stops"],
    [{ stops: Array.from({ length: 11 }, () => at(1, 1)) }, "stops"],
    [{ stops: [at(1, 1), { label: "Nowhere" }] }, "stops.1"],
    [{ stops: [at(1, 1), { address: "  " }] }, "stops.1"],
    [{ stops: [at(1, 1), { latitude: 1 }] }, "stops.1.longitude"],
    [{ stops: [at(90.1, 1), at(1, 180.1)] }, "stops.0.latitude"],
    [{ stops: [at(1, 1), at(2, 2)], channel: "fax" }, "channel"],
    [{ stops: [at(1, 1, "x".repeat(10_000)), at(2, 2)] }, "stops.0.label"],
  ])("is refused with %.80j", async (args, path) => {
    const answer = await service.call("export_route_map", args);
    expect([answer.status, answer.body.code]).toEqual([400, "invalid_input"]);
    expect(Problem.parse(answer.body).issues[0]?.path).toBe(path);
  });
});
