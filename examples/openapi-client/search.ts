// Searches a flight with a client whose types were generated from the API description. Start the service with `npm start`, then
// in another terminal:
//
//   node_modules/.bin/node examples/openapi-client/search.ts [path of quickstart.json]

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import createClient from "openapi-fetch";
import type { paths } from "./generated/schema.d.ts";

// Where the service is, and a key for it: `npm start` has written them down.
const quickstart = process.argv[2] ?? resolve(import.meta.dirname, "../../.data/quickstart.json");
const { appUrl, apiKey, tenantId } = JSON.parse(readFileSync(quickstart, "utf8"));

const client = createClient<paths>({ baseUrl: appUrl, headers: { authorization: `Bearer ${apiKey}` } });

const inSixtyDays = new Date(Date.now() + 60 * 24 * 60 * 60 * 1000).toISOString().slice(0, 10);

// The tool's name after # chooses the types; the request goes to /api/agent/dispatch, with the name in the body.
const { data, error } = await client.POST("/api/agent/dispatch#search_flights", {
  body: { tenantId, tool: "search_flights", args: { origin: "LHR", destination: "JFK", departureDate: inSixtyDays } },
});
assert(data !== undefined, `search_flights: ${error?.code}, ${error?.detail}`);
const { offers } = data.result;
assert(offers.length > 0, "no offers");
for (const offer of offers) process.stdout.write(`${offer.id}: ${offer.totalAmount} ${offer.totalCurrency}\n`);
process.stdout.write(`Paid: ${data.priceMicroUsdc} micro-USDC\n`);

// An error has a type too, with the codes that this tool can answer.
const refused = await client.POST("/api/agent/dispatch#search_flights", {
  body: { tenantId, tool: "search_flights", args: { origin: "LHR", destination: "LHR", departureDate: inSixtyDays } },
});
assert(refused.error?.code === "invalid_input");
process.stdout.write(`Refused: ${refused.error.detail}\n`);

// So do the routes beside the tools.
const usage = await client.GET("/api/usage", { params: { query: { limit: 1 } } });
assert(usage.data !== undefined);
process.stdout.write(`Last call: ${usage.data.records[0]?.tool}, ${usage.data.records[0]?.status}\n`);
