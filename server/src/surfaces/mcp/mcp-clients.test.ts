import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { clientKinds, connectClient } from "../../../test/support/mcp-clients.ts";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await openSharedService();
});
afterAll(() => service[Symbol.asyncDispose]());

const departure = Temporal.Now.plainDateISO().add({ days: 60 });
const hosts = ["application", "edge"] as const;
const cases = hosts.flatMap((host) =>
  clientKinds.map((kind, index) => ({ host, kind, days: index + (host === "edge" ? 3 : 0) })),
);

describe.each(cases)("client $kind on the $host host", ({ host, kind, days }) => {
  it("reads the offers and books a flight", async () => {
    const url = host === "edge" ? `${service.edgeUrl}/mcp` : `${service.appUrl}/api/mcp`;
    const client = await connectClient(url, kind, service.apiKey);
    expect(client.getInstructions()).toMatch(/Areas with number of tools: flights/);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain("book_flight");
    for (const tool of tools) expect(tool).toMatchObject({ outputSchema: { type: "object" }, annotations: {} });
    const { resources } = await client.listResources();
    const [page] = resources;
    expect(page?.uri).toMatch(/^wayfare:\/\/docs\//);
    const { contents } = await client.readResource({ uri: page?.uri ?? "" });
    expect(contents).toEqual([
      expect.objectContaining({ mimeType: "text/markdown", text: expect.stringMatching(/^# /) }),
    ]);
    expect((await client.listPrompts()).prompts.length).toBeGreaterThan(0);

    const departureDate = departure.add({ days }).toString();
    const found = await client.callTool({
      name: "search_flights",
      arguments: { origin: "LHR", destination: "JFK", departureDate },
    });
    expect(found.isError).not.toBe(true);
    const offerId = firstOffer(found.structuredContent);
    expect(found.content).toEqual([{ type: "text", text: JSON.stringify(found.structuredContent, null, 1) }]);
    const call = { name: "book_flight", arguments: { offerId }, _meta: { idempotencyKey: `${kind} ${host}` } };
    const booked = await client.callTool(call);
    expect(booked.structuredContent).toMatchObject({ offerId, pnr: expect.any(String) });
    expect(booked._meta).toMatchObject({
      "wayfare/meterId": expect.stringMatching(/^use_/),
      "wayfare/priceMicroUsdc": "20000",
    });
    const again = await client.callTool(call);
    expect(again.structuredContent).toEqual({ ...Object(booked.structuredContent), replayed: true });
    expect(again._meta).toMatchObject({ "wayfare/replayed": true });
    await client.close();
  });
});

function firstOffer(result: unknown): string {
  const { offers } = z.object({ offers: z.array(z.object({ id: z.string() })) }).parse(result);
  return offers[0]?.id ?? "";
}
