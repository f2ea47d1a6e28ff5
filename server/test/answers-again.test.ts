import { randomBytes, randomUUID } from "node:crypto";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/client/validators/ajv";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { runInOrder } from "../src/commands/gen/run-in-order.ts";
import { catalog } from "../src/contributions.ts";
import { lacksShownOnce } from "../src/kernel/contracts/shown-once.ts";
import { successText } from "../src/modules/charging/stored-outcome.ts";
import { type AnyClient, connectClient } from "./support/mcp-clients.ts";
import type { Answer, TestService } from "./support/service.ts";
import { openServicing, type Servicing } from "./support/servicing-service.ts";
import { requireResult, stranger } from "./support/treasury.ts";

/**
 * A call whose process died, or that never heard of its effect, is finished by other processes: its Idempotency-Key
 * returns their stored result. A repetition gets an answer like any other, by the published schema.
 */
let world: Servicing;
let service: TestService;
let client: AnyClient;
beforeAll(async () => {
  world = await openServicing("shared");
  service = world.service;
  client = await connectClient(`${service.appUrl}/api/mcp`, "v2 stateless", service.apiKey);
  // The client checks answers by the schemas that it has read.
  await client.listTools();
});
afterAll(async () => {
  await client?.close();
  await world?.close();
});
// Others finish a call when they look for such calls, and a run tries again when its time has come.
vi.setConfig({ testTimeout: 240_000 });
const PATIENCE = { timeout: 50_000, interval: 100 };

const keyed = (tool: string, args: object, key: string): Promise<Answer> =>
  service.call(tool, args, { headers: { "idempotency-key": key } });

const Kept = z.object({ effect: z.string(), stored: z.string().nullable(), kept: z.string().nullable() });
/** The stored effect of a call, and the answer of its key. */
async function readStored(key: string): Promise<z.infer<typeof Kept> | undefined> {
  const rows = await service.sql(
    `select call.effect, call.result as stored, held.outcome as kept from idempotency held
     join call on call.id = held.call_id where held.tenant_id = $1 and held.key = $2`,
    [service.tenantId, key],
  );
  return z.array(Kept).parse(rows)[0];
}

const findProblems = (tool: string, result: unknown): string | undefined => {
  const schema = catalog.find(tool)?.outputSchema;
  return new AjvJsonSchemaValidator().getValidator({ ...schema })(result).errorMessage;
};

/** The same call again, over dispatch and over MCP. */
async function expectAgain(tool: string, args: object, key: string): Promise<Record<string, unknown>> {
  const dispatched = await keyed(tool, args, key);
  expect([dispatched.status, dispatched.headers.get("idempotent-replayed")], dispatched.text).toEqual([200, "true"]);
  const overMcp = await client.callTool({ name: tool, arguments: { ...args }, _meta: { idempotencyKey: key } });
  expect(overMcp.isError ?? false, tool).toBe(false);
  const result = requireResult(dispatched);
  expect(overMcp.structuredContent).toEqual({ ...result, replayed: true });
  expect(findProblems(tool, result), tool).toBeUndefined();
  return result;
}

/** Others find out what the call did, and store that under its key. */
async function untilFinished(key: string): Promise<void> {
  const readKept = async () => {
    await world.endQuietTime();
    return (await readStored(key))?.kept ?? null;
  };
  await expect.poll(readKept, PATIENCE).not.toBeNull();
  const { kept, stored } = (await readStored(key)) ?? {};
  expect(JSON.parse(kept ?? "")).toEqual({ ok: true, result: JSON.parse(stored ?? "") });
}

/** The call's process is one that died. */
async function bury(key: string): Promise<void> {
  const dead = `proc_${key}`;
  const longAgo = "now() - interval '2 hours'";
  await service.sql(`insert into service_process (id, seen_at, started_at) values ($1, ${longAgo}, ${longAgo})`, [
    dead,
  ]);
  for (const [table, column] of [
    ["call", "idempotency_key"],
    ["idempotency", "key"],
  ])
    await service.sql(`update ${table} set process_id = $1 where tenant_id = $2 and ${column} = $3`, [
      ...[dead, service.tenantId, key],
    ]);
}

/** A call whose process died before the supplier's answer, after other processes have looked it up. */
async function expectFinished(
  tool: string,
  args: object,
  path: string,
  key: string = randomUUID(),
): Promise<Record<string, unknown>> {
  await world.arm(path, "reset_after_effect");
  expect(await keyed(tool, args, key)).toMatchObject({ status: 500, body: { code: "outcome_unknown" } });
  await bury(key);
  await untilFinished(key);
  // Now what was charged is in a block.
  await world.expectSameBooks();
  return await expectAgain(tool, args, key);
}

/** Members that may not have been in a block when the first answer was given. */
const LATE = new Set(["chargeTxHash", "refundTxHash", "next"]);
const TICKETS = new Set(["ticketing", "ticketOrderHash", "since", "next"]);
const without = (names: ReadonlySet<string>) => (result: object) =>
  Object.fromEntries(Object.entries(result).filter(([name]) => !names.has(name)));
const [withoutLate, withoutTickets] = [without(LATE), without(TICKETS)];
/** A transfer between chains and a withdrawal from the Gateway are shown as they are now. */
const withoutTime = without(
  new Set([...LATE, "asOf", "expectedBy", "status", "txHashes", "withdrawableAtBlock", "waiting"]),
);
const isFollowed = ({ transferId, withdrawalId }: Record<string, unknown>) =>
  withdrawalId !== undefined || String(transferId).startsWith("xfr_");

describe("a call that others have finished", () => {
  it("of book_flight and of confirm_order_change answers like any other", async () => {
    const { id: offerId } = await world.flexibleOffer();
    const booked = await expectFinished("book_flight", { offerId }, "/air/orders");
    expect(booked).toMatchObject({
      offerId,
      chargeTxHash: expect.stringMatching(/^0x/),
      vendorAddress: expect.stringMatching(/^0x/),
      timeZones: { LHR: "Europe/London", JFK: "America/New_York" },
      refundableUntil: expect.stringMatching(/T.*[+-]\d\d:\d\d$/),
    });
    // Without a key it is the same, but for tickets that were issued meanwhile.
    const again = requireResult(await service.call("book_flight", { offerId }));
    expect(withoutTickets(again)).toEqual(withoutTickets(booked));

    const order = await world.bookFlexible();
    const { changeId, due } = await world.selectChange(order);
    const path = `/air/order_changes/${changeId}/actions/confirm`;
    const args = { changeId, payment: { type: "balance", ...due } };
    const changed = await expectFinished("confirm_order_change", args, path);
    expect(changed).toMatchObject({
      changeId,
      chargedUsdc: due.amount,
      newTotalAmount: expect.any(String),
      travelers: [{}],
      timeZones: { LHR: "Europe/London", JFK: "America/New_York" },
      slices: [{ origin: "LHR", destination: "JFK" }],
    });
  });

  it("keeps its first whole answer, whatever becomes of the order", async () => {
    const { id: offerId } = await world.flexibleOffer();
    const key = randomUUID();
    const booked = await expectFinished("book_flight", { offerId }, "/air/orders", key);
    const { cancellationId } = await world.result("cancel_order_quote", { orderId: booked.orderId });
    await world.result("confirm_cancel_order", { cancellationId });
    expect(await expectAgain("book_flight", { offerId }, key)).toEqual(booked);
    // Without the key it says what became of the order.
    expect(requireResult(await service.call("book_flight", { offerId }))).toMatchObject({ status: "cancelled" });
  });

  it("is an answer that a run goes on with", async () => {
    const { tripId, guestLink, codeNonce } = await world.result("prefund_trip", { budgetUsdc: "900" });
    const guestWallet = `0x${randomBytes(20).toString("hex")}`;
    await world.result("guest_claim_link", { guestLink, codeNonce, guestWallet });
    const departureDate = Temporal.Now.plainDateISO("UTC").add({ days: 30 }).toString();
    await world.arm("/air/orders", "reset_after_effect");
    const headers = { "content-type": "application/json", authorization: `Bearer ${service.apiKey}` };
    const input = { tripId, origin: "LHR", destination: "CDG", departureDate };
    const ended = service.send("/api/workflows/run", {
      method: "POST",
      headers,
      body: JSON.stringify({ workflowId: "service.book_flight", tenantId: service.tenantId, input }),
    });
    const runs = async () => await service.sql("select id from workflow_run where trip_id = $1", [tripId]);
    await expect.poll(runs, PATIENCE).toHaveLength(1);
    const [{ id: runId } = {}] = await runs();
    const key = `${String(runId)}:book_flight`;
    // Whoever looks it up may have been faster than this look.
    await expect.poll(async () => (await readStored(key))?.effect, PATIENCE).toMatch(/^(?:open|done)$/);
    await untilFinished(key);
    // It waits before it tries again.
    await service.sql("update workflow_run set quiet_until = now() - interval '1 second' where id = $1", [runId]);
    await ended;
    const read = async () => (await service.send(`/api/workflows/runs/${String(runId)}`, { headers })).body;
    await expect.poll(read, PATIENCE).toMatchObject({ status: "completed", failure: null });
  });
});

/** Arguments in place of an example's that do not fit here. */
async function replaceArgs(tool: string): Promise<object> {
  // Not every fare can be changed.
  if (tool === "book_flight") return { offerId: (await world.flexibleOffer()).id };
  // The supplier knows an address once, and other tenants may have used the example's.
  if (tool === "ensure_flight_customer") return { email: `${randomUUID()}@example.com` };
  // An address gets money once in a while, and others have asked for that of the example.
  return tool === "faucet_drip" ? { address: stranger() } : {};
}

/** The tools that act, with those that they need ids of. */
const entries = catalog.entries.filter(
  ({ tool: { name, effect } }) => effect !== "read" || /^(?:search|quote|list)_/.test(name),
);

describe("what the effect of a call has stored", () => {
  it("is a whole answer again, of every tool", async () => {
    const seen: string[] = [];
    const issued =
      "select 1 from booking where tenant_id = $1 and ticketing = 'pending' and order_status <> 'cancelled'";
    await runInOrder(entries, Temporal.Now.plainDateISO("UTC"), async ({ name }, example) => {
      const args = { ...example, ...(await replaceArgs(name)) };
      const key = randomUUID();
      // An order without tickets cannot be changed.
      await expect.poll(() => service.sql(issued, [service.tenantId]), PATIENCE).toEqual([]);
      const first = requireResult(await keyed(name, args, key));
      const { effect: end, stored } = (await readStored(key)) ?? {};
      if (end !== "done") return first;
      const part: unknown = JSON.parse(stored ?? "");
      // Nothing of these is stored under the key: the tool is asked again.
      if (lacksShownOnce(part)) return first;
      await service.sql("update idempotency set outcome = $3 where tenant_id = $1 and key = $2", [
        ...[service.tenantId, key, successText(part)],
      ]);
      const again = await expectAgain(name, args, key);
      expect(Object.keys(again).toSorted(), name).toEqual(Object.keys(first).toSorted());
      const compared = isFollowed(first) ? withoutTime : withoutLate;
      expect(compared(again), name).toEqual(compared(first));
      seen.push(name);
      return first;
    });
    expect(seen).toEqual(
      expect.arrayContaining(["book_flight", "book_stay", "confirm_order_change", "confirm_cancel_order"]),
    );
    expect(seen.length).toBeGreaterThan(15);
  });
});
