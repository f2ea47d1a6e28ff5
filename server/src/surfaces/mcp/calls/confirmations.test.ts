import { Client, type ElicitResult, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { sendMcp } from "../../../../test/support/mcp.ts";
import { clientKinds, connectClient } from "../../../../test/support/mcp-clients.ts";
import type { TestService } from "../../../../test/support/service.ts";
import { openSharedService } from "../../../../test/support/shared-service.ts";
import { requireResult } from "../../../../test/support/treasury.ts";
import { createVault } from "../../../adapters/vault.ts";
import { ConfirmationRequired } from "../../../kernel/contracts/gate.ts";
import { Confirmations } from "./confirmations.ts";

/** The question to the person at the client before a call moves money. */

const ELSEWHERE = "0x00000000000000000000000000000000000a11ce";
const UNIT = 1_000_000n;
const payment = { to: ELSEWHERE, amount: "2.00" };

let service: TestService;
beforeAll(async () => {
  service = await openSharedService();
  await confirmFrom(2n * UNIT);
});
afterAll(() => service?.[Symbol.asyncDispose]());

const confirmFrom = (amount: bigint | undefined) =>
  service.operator(({ spending }) =>
    spending.spendLimits.set(service.tenantId, "sandbox", undefined, { confirmFrom: amount }, "test"),
  );

const Text = z.tuple([z.object({ type: z.literal("text"), text: z.string() })]);
const readProblem = (answer: Record<string, unknown>): unknown => JSON.parse(Text.parse(answer.content)[0].text);

/** The official client, whose user answers in this order. Questions are added to `asked`. */
async function connect(asked: string[], ...answers: (ElicitResult["action"] | (() => Promise<void>))[]) {
  const client = new Client(
    { name: "test", version: "1.0.0" },
    { versionNegotiation: { mode: { pin: "2026-07-28" } }, capabilities: { elicitation: { form: {} } } },
  );
  client.setRequestHandler("elicitation/create", async ({ params }) => {
    asked.push(params.message);
    const next = answers.shift() ?? "decline";
    if (typeof next === "string") return { action: next, content: {} };
    await next();
    return { action: "accept", content: {} };
  });
  const requestInit = { headers: { authorization: `Bearer ${service.apiKey}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${service.appUrl}/api/mcp`), { requestInit }));
  return client;
}

async function readPaid(): Promise<bigint> {
  const { limits } = z
    .object({
      limits: z.object({ tenant: z.object({ perDay: z.object({ usedUsdc: z.string(), reservedUsdc: z.string() }) }) }),
    })
    .parse(requireResult(await service.call("read_account", {})));
  const { usedUsdc, reservedUsdc } = limits.tenant.perDay;
  return BigInt(Math.round((Number(usedUsdc) + Number(reservedUsdc)) * 100));
}

describe("the official client with a form", () => {
  it("asks its user once, and pays after a yes", async () => {
    const asked: string[] = [];
    const client = await connect(asked, "accept");
    const before = await readPaid();
    const paid = await client.callTool({ name: "send_tokens", arguments: payment });
    expect(paid.isError, JSON.stringify(paid)).not.toBe(true);
    expect(asked).toEqual([expect.stringMatching(/^Send .*\n[\s\S]*a11ce[\s\S]*2\.00[\s\S]*cannot be undone/)]);
    expect(await readPaid()).toBe(before + 200n);
    await client.close();
  });

  it.each(["decline", "cancel"] as const)("does nothing after %s", async (action) => {
    const asked: string[] = [];
    const client = await connect(asked, action);
    const before = await readPaid();
    const refused = await client.callTool({ name: "send_tokens", arguments: payment });
    expect(readProblem(refused)).toMatchObject({ code: "not_confirmed", action, retryable: false });
    expect(asked).toHaveLength(1);
    expect(await readPaid()).toBe(before);
    await client.close();
  });

  it("is asked anew if the price has changed while its user decided", async () => {
    const found = requireResult(
      await service.call("search_flights", { origin: "LHR", destination: "JFK", departureDate: "2027-03-01" }),
    );
    const { offers } = z
      .object({ offers: z.array(z.object({ id: z.string(), totalAmount: z.string() })).min(1) })
      .parse(found);
    const [offer] = offers;
    const showOther = () =>
      service.sql(
        `update seen_offer set offer = jsonb_set(offer, '{totalAmount}', '"7.00"') where tenant_id = $1 and offer_id = $2`,
        [service.tenantId, offer?.id],
      );
    const asked: string[] = [];
    const client = await connect(asked, async () => void (await showOther()), "decline");
    const refused = await client.callTool({ name: "book_flight", arguments: { offerId: offer?.id } });
    expect(readProblem(refused)).toMatchObject({ code: "not_confirmed" });
    expect(asked).toHaveLength(2);
    expect(asked[0]).toContain("LHR → JFK");
    expect(asked[0]).toContain("For: Tess Traveler");
    expect(asked[1]).toMatch(/^Something has changed[\s\S]*7\.00/);
    await client.close();
  });

  it("asks nothing below the amount, of a read, and of a call that is refused anyway", async () => {
    const asked: string[] = [];
    const client = await connect(asked);
    const small = await client.callTool({ name: "send_tokens", arguments: { ...payment, amount: "1.99" } });
    expect(small.isError, JSON.stringify(small)).not.toBe(true);
    expect((await client.callTool({ name: "check_treasury", arguments: {} })).isError).not.toBe(true);
    const wrong = await client.callTool({ name: "send_tokens", arguments: { ...payment, to: "0x1" } });
    expect(readProblem(wrong)).toMatchObject({ code: "invalid_input" });
    expect(asked).toEqual([]);
    await client.close();
  });

  it("sees in a preview that its user will be asked", async () => {
    const client = await connect([]);
    const preview = await client.callTool({ name: "preview_call", arguments: { tool: "send_tokens", args: payment } });
    expect(preview.structuredContent).toMatchObject({
      accepted: true,
      warnings: expect.arrayContaining([expect.stringContaining("asks the person who uses it")]),
    });
    await client.close();
  });
});

it.each(clientKinds)("client %s without a form sees what it always did", async (kind) => {
  const client = await connectClient(`${service.appUrl}/api/mcp`, kind, service.apiKey);
  const paid = await client.callTool({ name: "send_tokens", arguments: { ...payment, amount: "2.01" } });
  expect(paid.isError, JSON.stringify(paid)).not.toBe(true);
  await client.close();
});

describe("the sealed state of a question", () => {
  const Question = z.object({
    result: z.object({
      resultType: z.literal("input_required"),
      requestState: z.string(),
      inputRequests: z.object({ confirm: z.object({ method: z.literal("elicitation/create") }) }),
    }),
  });
  const capabilities = { "io.modelcontextprotocol/clientCapabilities": { elicitation: {} } };
  const accepted = { inputResponses: { confirm: { action: "accept", content: {} } } };
  const send = (args: object, more: object = {}, { meta = {}, ...options }: { meta?: object; key?: string } = {}) =>
    sendMcp(
      service,
      "tools/call",
      { name: "send_tokens", arguments: args, ...more },
      { ...options, meta: { ...capabilities, ...meta } },
    );
  const ask = async (args: object, options = {}) =>
    Question.parse((await send(args, {}, options)).body).result.requestState;
  const readAnswer = ({ body }: { body: unknown }) => z.object({ result: z.looseObject({}) }).parse(body).result;

  it("is good for one payment, however often it is sent", async () => {
    const requestState = await ask(payment);
    const before = await readPaid();
    const first = readAnswer(await send(payment, { requestState, ...accepted }));
    expect(first).toMatchObject({ resultType: "complete" });
    const again = readAnswer(await send(payment, { requestState, ...accepted }));
    expect(again).toMatchObject({ structuredContent: { ...Object(first.structuredContent), replayed: true } });
    expect(await readPaid()).toBe(before + 200n);
  });

  it("is refused altered, for other arguments, another key, another idempotency key or another tool", async () => {
    const requestState = await ask(payment);
    const before = await readPaid();
    const middle = Math.floor(requestState.length / 2);
    const altered = `${requestState.slice(0, middle)}${requestState[middle] === "A" ? "B" : "A"}${requestState.slice(middle + 1)}`;
    const operator = { key: service.operatorKey };
    const refusals = [
      await send(payment, { requestState: altered, ...accepted }),
      await send(payment, { requestState: "v1.nothing", ...accepted }),
      await send({ ...payment, amount: "200.00" }, { requestState, ...accepted }),
      await send(payment, { requestState, ...accepted }, operator),
      await send(payment, { requestState, ...accepted }, { meta: { idempotencyKey: "other" } }),
    ];
    for (const refused of refusals) {
      expect(readProblem(readAnswer(refused))).toMatchObject({
        code: "invalid_input",
        issues: [{ path: "requestState" }],
      });
    }
    expect(await readPaid()).toBe(before);
    // Control: as it was made.
    expect(readAnswer(await send(payment, { requestState, ...accepted }))).not.toHaveProperty("isError");
  });

  it("without an answer is asked again, and an answer without it is none", async () => {
    const requestState = await ask(payment);
    expect(Question.safeParse((await send(payment, { requestState })).body).success).toBe(true);
    expect(Question.safeParse((await send(payment, accepted)).body).success).toBe(true);
  });

  it("reaches tools through call_tool", async () => {
    const params = { name: "call_tool", arguments: { name: "send_tokens", arguments: payment } };
    const path = "/api/mcp?mode=search";
    const asked = await sendMcp(service, "tools/call", params, { path, meta: capabilities });
    const { requestState } = Question.parse(asked.body).result;
    const paid = await sendMcp(
      service,
      "tools/call",
      { ...params, requestState, ...accepted },
      { path, meta: capabilities },
    );
    expect(readAnswer(paid)).not.toHaveProperty("isError");
  });
});

it("an answer that comes after ten minutes is none", () => {
  let now = Temporal.Instant.from("2027-03-01T10:00:00Z");
  const confirmations = new Confirmations({ vault: createVault(Buffer.alloc(32, 7)), clock: { now: () => now } });
  const principal = { tenantId: "ten_1", environment: "sandbox", keyId: "key_1" } as const;
  const call = { tool: "send_tokens", args: payment, principal, userId: undefined, idempotencyKey: undefined };
  const requestState = confirmations.seal(new ConfirmationRequired({ question: "?", planHash: "hash" }), call);
  const read = () => confirmations.read({ requestState, inputResponses: { confirm: { action: "accept" } } }, call);
  now = now.add({ milliseconds: 599_999 });
  expect(read()).toMatchObject({ confirming: { confirmedPlan: "hash" }, idempotencyKey: expect.any(String) });
  now = now.add({ milliseconds: 1 });
  expect(read()).toEqual({ confirming: { isExpired: true }, idempotencyKey: undefined });
});

it("a limit that is taken back asks nobody", async () => {
  await confirmFrom(undefined);
  const asked: string[] = [];
  const client = await connect(asked);
  expect((await client.callTool({ name: "send_tokens", arguments: payment })).isError).not.toBe(true);
  expect(asked).toEqual([]);
  await client.close();
});
