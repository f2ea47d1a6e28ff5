import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { inDays } from "../../../test/support/agent.ts";
import { searchDatabase } from "../../../test/support/search-database.ts";
import type { TestService } from "../../../test/support/service.ts";
import { loggedWith, openSharedService } from "../../../test/support/shared-service.ts";
import { requireResult } from "../../../test/support/treasury.ts";

let service: TestService;
beforeAll(async () => {
  service = await openSharedService();
});
afterAll(() => service?.[Symbol.asyncDispose]());

const Offers = z.object({ offers: z.tuple([z.object({ id: z.string() })], z.unknown()) });
const Requests = z.object({
  requests: z.array(z.object({ method: z.string(), path: z.string(), traceparent: z.string() })),
});

const newTrace = (): string => crypto.randomUUID().replaceAll("-", "");

async function callInTrace(traceId: string, tool: string, args: object) {
  const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01`, "idempotency-key": traceId };
  const answer = await service.call(tool, args, { headers });
  expect(answer.headers.get("x-service-trace-id")).toBe(traceId);
  return answer;
}

async function findOffer(origin: string, destination: string): Promise<string> {
  const search = { origin, destination, departureDate: inDays(75) };
  return Offers.parse(requireResult(await service.call("search_flights", search))).offers[0].id;
}

/** The tables with rows that contain this text, in alphabetical order. */
const tablesWith = async (text: string) =>
  [...new Set((await searchDatabase(service, text)).map((row) => row.split(":")[0]?.replace("public.", "")))].sort();

async function sentInTrace(traceId: string) {
  const response = await fetch(`${service.supplierUrl}/_sandbox/requests?contains=${traceId}`);
  const { requests } = Requests.parse(await response.json());
  for (const { traceparent } of requests) {
    expect(traceparent).toMatch(new RegExp(`^00-${traceId}-(?!00f067aa0ba902b7)[0-9a-f]{16}-01$`));
  }
  return requests.map(({ method, path }) => `${method} ${path}`);
}

const loggedMessages = (traceId: string) => loggedWith(`"traceId":"${traceId}"`).map((line) => JSON.parse(line).msg);

/** Rows that name their call but not their trace. */
async function rowsWithoutTrace(traceId: string): Promise<string[]> {
  const calls = await service.sql("select id from call where trace_id = $1", [traceId]);
  const rows = await Promise.all(calls.map(({ id }) => searchDatabase(service, String(id))));
  return rows.flat().filter((row) => !row.includes(traceId));
}

test("one search finds all of a booking: its rows, the supplier's requests, and later events", async () => {
  const traceId = newTrace();
  const offerId = await findOffer("LHR", "JFK");
  requireResult(await callInTrace(traceId, "book_flight", { offerId }));
  // The supplier's share leaves the wallet after the answer.
  await expect.poll(() => loggedMessages(traceId)).toContain("chain transaction confirmed");
  expect(await sentInTrace(traceId)).toEqual(
    expect.arrayContaining([expect.stringContaining(`GET /air/offers/${offerId}`), "POST /air/orders"]),
  );
  await expect
    .poll(() => tablesWith(traceId))
    .toEqual(
      expect.arrayContaining([
        ...["audit_log", "booking", "call", "chain_transaction", "idempotency"],
        ...["ledger_transaction", "usage_record"],
      ]),
    );
  expect(await rowsWithoutTrace(traceId)).toEqual([]);
});

test("one search finds all of a failed booking", async () => {
  const traceId = newTrace();
  const offerId = await findOffer("LHR", "CDG");
  const fault = { match: { path: "/air/orders", method: "POST" }, fault: "insufficient_balance", times: 1, delayMs: 0 };
  const headers = { "content-type": "application/json" };
  await fetch(`${service.supplierUrl}/_sandbox/scenarios`, { method: "POST", headers, body: JSON.stringify(fault) });
  const answer = await callInTrace(traceId, "book_flight", { offerId });
  expect([answer.status, answer.body.traceId]).toEqual([500, traceId]);
  expect(loggedMessages(traceId)).toContain("a call failed");
  expect(await sentInTrace(traceId)).toContain("POST /air/orders");
  expect(await tablesWith(traceId)).toEqual(
    expect.arrayContaining(["booking", "call", "call_spend", "ledger_transaction"]),
  );
  expect(await rowsWithoutTrace(traceId)).toEqual([]);
});

test("later work of a call is in its trace: a trip with its entries, a run with its steps", async () => {
  const traceId = newTrace();
  const trip = requireResult(await callInTrace(traceId, "prefund_trip", { budgetUsdc: "50.00" }));
  const { tripId } = z.object({ tripId: z.string() }).parse(trip);
  const tables = await tablesWith(traceId);
  expect(tables).toEqual(
    expect.arrayContaining(["call", "chain_transaction", "escrow_step", "ledger_transaction", "trip", "trip_entry"]),
  );
  const runTrace = newTrace();
  const input = { tripId, origin: "LHR", destination: "CDG", departureDate: inDays(40), passengers: 2 };
  const started = await callInTrace(runTrace, "run_workflow", { workflowId: "service.book_flight", input });
  await expect
    .poll(() => tablesWith(runTrace))
    .toEqual(expect.arrayContaining(["workflow_pause", "workflow_run", "workflow_step"]));
  expect(await rowsWithoutTrace(runTrace)).toEqual([]);
  const { runId } = z.object({ runId: z.string() }).parse(requireResult(started));
  const steps = await service.sql("select distinct trace_id from workflow_step where run_id = $1", [runId]);
  expect(steps).toEqual([{ trace_id: runTrace }]);
});

test("each call has one line with its outcome, and no line has a key twice", async () => {
  const calls = async (trace: string, tool: string, args: object) => {
    await callInTrace(trace, tool, args);
    return loggedMessages(trace).filter((message) => String(message).startsWith("a call "));
  };
  expect(await calls(newTrace(), "timezone_brief", { latitude: 48, longitude: 16 })).toEqual(["a call succeeded"]);
  expect(await calls(newTrace(), "timezone_brief", { lat: 48 })).toEqual(["a call was refused"]);
  expect(await calls(newTrace(), "no_such_tool", {})).toEqual(["a call was refused"]);
  const trace = newTrace();
  await callInTrace(trace, "prefund_trip", { budgetUsdc: "1.00" });
  expect(await calls(trace, "prefund_trip", { budgetUsdc: "1.00" })).toEqual([
    "a call succeeded",
    "a call was answered as before",
  ]);
  const lines = loggedWith('"level"');
  expect(lines.length).toBeGreaterThan(0);
  for (const line of lines) expect(JSON.stringify(JSON.parse(line))).toBe(line.trim());
});
