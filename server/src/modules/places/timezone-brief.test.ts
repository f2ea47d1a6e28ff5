import { afterAll, beforeAll, expect, it } from "vitest";
import { createGoogleMapsSimulator, GOOGLE_KEY } from "../../../test/support/google-maps-simulator.ts";
import { type ScriptedServer, startScriptedServer } from "../../../test/support/scripted-server.ts";
import { startTestService, type TestService } from "../../../test/support/service.ts";
import { requireResult } from "../../../test/support/treasury.ts";

/** Time zones of a service that has a key for Google Maps. */
let service: TestService;
let server: ScriptedServer;
beforeAll(async () => {
  server = await startScriptedServer(createGoogleMapsSimulator().script);
  service = await startTestService({ GOOGLE_MAPS_URL: server.url, GOOGLE_MAPS_API_KEY: GOOGLE_KEY });
});
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await server.close();
});

const brief = async (latitude: number, longitude: number) =>
  requireResult(await service.call("timezone_brief", { latitude, longitude, timestamp: 1_782_864_000 }));

it("are Google's under the name that the built-in borders use, with both attributions", async () => {
  const known = await brief(22.57, 88.36);
  expect(known).toMatchObject({
    ...{ timeZone: "Asia/Kolkata", otherTimeZones: [], utcOffsetMinutes: 330, offsetNote: null },
    ...{ source: "google-maps", sourceLevel: "live", countryCode: "IN" },
  });
  expect(known.attribution).toEqual(expect.arrayContaining(["Google Maps", expect.stringContaining("OpenStreetMap")]));
});

it("say so where Google has another offset than the rules of the runtime", async () => {
  const { utcOffsetMinutes, offsetNote } = await brief(-13.83, -171.76);
  expect(utcOffsetMinutes).toBe(780);
  expect(offsetNote).toMatch(/google-maps says that the offset at this moment is 840 minutes, not 780\./);
});

it("are those of the built-in borders where Google knows none", async () => {
  expect(await brief(0, -30)).toMatchObject({
    ...{ timeZone: "Etc/GMT+2", source: "embedded-places", offsetNote: null },
    fallbackFrom: [{ source: "google-maps", reason: "nothing_found" }],
  });
});
