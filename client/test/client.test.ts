import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import type { TestService } from "../../server/test/support/service.ts";
import { openSharedService } from "../../server/test/support/shared-service.ts";
import { type Client, type ConversationEvent, createClient, items, pages, unwrap } from "../src/index.ts";

/** As docs/client.md says. */
const MAXIMUM_BYTES = 10_000;
const Quickstart = z.object({ appUrl: z.string() });

let service: TestService;
let client: Client;
let settings: { baseUrl: string; apiKey: string; signingSecret: string };

beforeAll(async () => {
  service = await openSharedService();
  const { appUrl } = Quickstart.parse(JSON.parse(readFileSync(service.quickstartFile, "utf8")));
  settings = { baseUrl: appUrl, apiKey: service.apiKey, signingSecret: service.signingSecret };
  client = createClient(settings);
});

afterAll(() => service?.[Symbol.asyncDispose]());

const inSixtyDays = () => Temporal.Now.plainDateISO("UTC").add({ days: 60 }).toString();

describe("the client", () => {
  it("has a method for each tool and route of the API description, which reaches it", async () => {
    const { text } = await service.send("/api/openapi.json", {});
    const Description = z.object({
      paths: z.record(z.string(), z.record(z.string(), z.object({ operationId: z.string() }))),
    });
    const ids = Object.entries(Description.parse(JSON.parse(text)).paths).flatMap(([path, item]) =>
      Object.values(item).map(({ operationId }) => ({ operationId, isTool: path.includes("#") })),
    );
    const camel = (name: string) => name.replaceAll(/_(.)/g, (_match, letter: string) => letter.toUpperCase());
    const streams = ["converse", "converse_for_traveler", "get_conversation_events"];
    const wanted = ids.filter(({ operationId }) => !streams.includes(operationId));
    const named = (isTool: boolean) =>
      wanted.filter((one) => one.isTool === isTool).map((one) => camel(one.operationId));
    expect(Object.keys(client.tools)).toEqual(named(true));
    expect(Object.keys(client.routes)).toEqual(named(false));
  });

  it("gives a tool's typed result, and its refusals by their codes", async () => {
    const route = { origin: "LHR", destination: "JFK", departureDate: inSixtyDays() };
    const found = await client.tools.searchFlights(route);
    expect(found.ok && found.result.offers.length).toBeGreaterThan(0);
    expect(found).toMatchObject({ priceMicroUsdc: "2000", isReplayed: false, attempts: 1 });
    expect(found.ok && found.meterId).toMatch(/^use_/);
    const refused = await client.tools.searchFlights({ ...route, destination: "LHR" });
    if (refused.ok || refused.problem.code !== "invalid_input") throw new Error("it was not refused");
    expect(refused.problem.issues.map(({ path }) => path)).toEqual(["destination"]);
    await expect(unwrap(client.tools.readOrder({ orderId: "ord_unknown" }))).rejects.toThrow(/^\w+: /);
    const stranger = createClient({ ...settings, apiKey: "ak_unknown" });
    expect(await stranger.tools.findAirportsNearby({ query: "Rome" })).toMatchObject({
      problem: { code: "unauthorized" },
    });
  });

  it("repeats a call under its key without a second charge", async () => {
    const idempotencyKey = crypto.randomUUID();
    const [first, second] = [
      await client.tools.findAirportsNearby({ query: "Porto" }, { idempotencyKey }),
      await client.tools.findAirportsNearby({ query: "Porto" }, { idempotencyKey }),
    ];
    expect(first).toMatchObject({ ok: true, isReplayed: false });
    expect(second).toMatchObject({ ok: true, isReplayed: true, meterId: first.ok && first.meterId });
  });

  it("calls routes with parameters, query and body, and receives files", async () => {
    const { userId } = await unwrap(
      client.routes.writeTraveler({ userId: "client+1@example.com", body: { givenName: "Ida", familyName: "Client" } }),
    );
    expect(userId).toBe("client+1@example.com");
    expect(await unwrap(client.routes.readTraveler({ userId }))).toMatchObject({ givenName: "Ida" });
    const missing = await client.routes.readTraveler({ userId: "user_unknown" });
    expect(missing.ok ? "" : missing.problem.code).toBe("not_found");
    const today = Temporal.Now.plainDateISO("UTC").toString();
    const file = await unwrap(client.routes.exportInvoices({ from: today, to: today }));
    expect(file.contentType).toContain("text/csv");
    expect(new TextDecoder().decode(file.bytes)).toMatch(/^number,kind,/);
  });

  it("reads lists page by page, and item by item", async () => {
    for (const query of ["Rome", "Oslo", "Bonn"]) await unwrap(client.tools.findAirportsNearby({ query }));
    const input = { limit: 1, tool: "find_airports_nearby" };
    const sizes: number[] = [];
    for await (const page of pages(client.routes.readUsage, input)) sizes.push(page.records.length);
    expect(sizes.every((size) => size === 1)).toBe(true);
    const ids = new Set<string>();
    for await (const record of items(client.tools.listUsage, "records", input)) ids.add(record.id);
    expect(ids.size).toBe(sizes.length);
    expect(ids.size).toBeGreaterThanOrEqual(3);
    const refused = createClient({ ...settings, apiKey: "ak_unknown" }).routes.readUsage;
    await expect(pages(refused, input).next()).rejects.toMatchObject({ problem: { code: "unauthorized" } });
  });

  it("converses in either format, and reads the conversation again", async () => {
    const replies: string[] = [];
    let conversationId = "";
    const kinds: ConversationEvent["type"][] = [];
    for (const format of ["ndjson", "sse"] as const) {
      for await (const event of client.converse({ channel: "web", input: "What can you do for me?" }, { format })) {
        kinds.push(event.type);
        if (event.type === "turn_started") conversationId = event.conversationId;
        if (event.type === "turn_ended") replies.push(event.reply);
      }
    }
    expect(kinds[0]).toBe("turn_started");
    expect(replies[0]).toBe(replies[1]);
    expect(replies[0]).not.toBe("");
    const again: string[] = [];
    for await (const event of client.followConversation(conversationId)) {
      if (event.type === "turn_ended") again.push(event.reply);
    }
    expect(again).toEqual([replies[1]]);
  });

  it("goes on with a turn whose connection broke, without saying it twice", async () => {
    let opened = 0;
    const cutting = createClient({
      ...settings,
      async fetch(input, init) {
        const response = await fetch(input, init);
        opened += 1;
        // The first answer breaks after its first event.
        return opened === 1 ? new Response(cutAfterLine(response.body), response) : response;
      },
    });
    const events: ConversationEvent[] = [];
    for await (const event of cutting.converse({ channel: "web", input: "What can you do for me?" }))
      events.push(event);
    expect(opened).toBe(2);
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_event, index) => index + 1));
    expect(events.at(-1)).toMatchObject({ type: "turn_ended", status: "answered" });
  });

  it("follows a run to its end", async () => {
    const started = client.routes.startWorkflowRun({
      body: {
        workflowId: "service.book_flight",
        input: { tripId: `0x${"7".repeat(64)}`, origin: "LHR", destination: "JFK", departureDate: inSixtyDays() },
      },
    });
    const { runId } = await unwrap(started);
    const states: string[] = [];
    for await (const run of client.followRun(runId)) states.push(run.status);
    expect(states.at(-1)).toBe("failed");
  });

  it("is small", async () => {
    const bundle = await rolldown({ input: join(resolve(import.meta.dirname, "../src"), "index.ts") });
    const { output } = await bundle.generate({ format: "esm", minify: true });
    const [{ code }] = output;
    expect(output).toHaveLength(1);
    expect(code).not.toMatch(/\bfrom\s*"|\brequire\(/);
    const bytes = gzipSync(code).length;
    expect(bytes).toBeLessThan(MAXIMUM_BYTES);
    await bundle.close();
  });
});

/** The first line, then a failure, as from a connection that breaks. */
function cutAfterLine(body: ReadableStream<Uint8Array<ArrayBuffer>> | null): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = body?.getReader();
  let isCut = false;
  return new ReadableStream({
    async pull(controller) {
      const { value } = (await reader?.read()) ?? {};
      const end = value?.indexOf(10) ?? -1;
      if (isCut || value === undefined || end < 0) return controller.error(new Error("the connection broke"));
      isCut = true;
      controller.enqueue(value.subarray(0, end + 1));
    },
  });
}
