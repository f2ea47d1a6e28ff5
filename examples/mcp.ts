// Finds a flight and books it over MCP with the official client, in both generations of the protocol. Start the service with
// `npm start`, then in another terminal:
//
//   node_modules/.bin/node examples/mcp.ts [path of quickstart.json]

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { z } from "zod";

// The parts of the results that we use.
const Offer = z.object({ id: z.string(), totalAmount: z.string(), totalCurrency: z.string() });
const Search = z.object({ offers: z.array(Offer) });
const Booking = z.object({ pnr: z.string(), orderId: z.string(), offerId: z.string() });

// Where the service is, and a key for it: `npm start` has written them down.
const quickstart = process.argv[2] ?? resolve(import.meta.dirname, "../.data/quickstart.json");
const { appUrl, apiKey } = JSON.parse(readFileSync(quickstart, "utf8"));

const generations = [
  { name: "2026-07-28, stateless", mode: { pin: "2026-07-28" } },
  { name: "2025-11-25, with initialize", mode: "legacy" },
] as const;

for (const [index, { name, mode }] of generations.entries()) {
  const client = new Client({ name: "wayfare-example", version: "1.0.0" }, { versionNegotiation: { mode } });
  const headers = { authorization: `Bearer ${apiKey}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${appUrl}/api/mcp`), { requestInit: { headers } }));

  /** A failure is a result too, whose text a model can read; here it ends the program. */
  const call = async (tool: string, args: Record<string, unknown>, idempotencyKey?: string): Promise<unknown> => {
    const meta = idempotencyKey === undefined ? {} : { _meta: { idempotencyKey } };
    const result = await client.callTool({ name: tool, arguments: args, ...meta });
    assert(result.isError !== true, `${tool}: ${JSON.stringify(result.content)}`);
    return result.structuredContent;
  };

  const { tools } = await client.listTools();
  assert(tools.some((tool) => tool.name === "book_flight"));
  process.stdout.write(`${name}: ${tools.length} tools\n`);

  // Any day: nobody is sold a second ticket for a flight unasked, so a second run had better take another one.
  const days = 60 + Math.floor(Math.random() * 100) + 100 * index;
  const departureDate = Temporal.Now.plainDateISO().add({ days }).toString();
  const found = await call("search_flights", { origin: "LHR", destination: "JFK", departureDate });
  const [best] = Search.parse(found).offers;
  assert(best !== undefined, "a search that found nothing is an error, so there is an offer");
  process.stdout.write(`  best offer for ${departureDate}: ${best.totalAmount} ${best.totalCurrency}\n`);

  // A key of our own makes the booking safe to repeat: when the answer is lost, send the same call again.
  const booking = Booking.parse(await call("book_flight", { offerId: best.id }, randomUUID()));
  assert.equal(booking.offerId, best.id);
  process.stdout.write(`  booked: PNR ${booking.pnr}, order ${booking.orderId}\n`);
  await client.close();
}
