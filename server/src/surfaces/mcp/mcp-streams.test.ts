import { createHmac } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { type Era, sendMcp, toMessage } from "../../../test/support/mcp.ts";
import { startTestService, type TestService } from "../../../test/support/service.ts";
import { defineAnyTool } from "../../kernel/contracts/tool.ts";

const face = {
  summary: "For tests.",
  area: "trip",
  payableWithoutKey: false,
  uses: [],
  input: z.strictObject({ text: z.string() }),
  output: z.object({ text: z.string() }),
  errors: { stopped: "The caller has gone." },
  example: () => ({ text: "hello" }),
} as const;

/** Gates for calls, by the text that they are called with. */
function createGates() {
  const gates = new Map<
    string,
    { begun: PromiseWithResolvers<void>; go: PromiseWithResolvers<void>; ended: PromiseWithResolvers<string> }
  >();
  return (text: string) => {
    const gate = gates.get(text) ?? {
      begun: Promise.withResolvers<void>(),
      go: Promise.withResolvers<void>(),
      ended: Promise.withResolvers<string>(),
    };
    gates.set(text, gate);
    return gate;
  };
}
const openGate = createGates();

const tools = [
  defineAnyTool({
    ...face,
    name: "watchful_read",
    title: "Reads until its caller has gone",
    effect: "read",
    price: 500n,
    async run({ text }, { call, fail }) {
      const aborted = once(call.signal, "abort");
      openGate(text).begun.resolve();
      await Promise.race([aborted, openGate(text).go.promise]);
      openGate(text).ended.resolve(call.signal.aborted ? "aborted" : "finished");
      if (call.signal.aborted) throw fail("stopped");
      return { text };
    },
  }),
  defineAnyTool({
    ...face,
    name: "steady_write",
    title: "Writes whether or not its caller has gone",
    effect: "write",
    price: 5_000n,
    async run({ text }, { call }) {
      call.progress("one");
      openGate(text).begun.resolve();
      await openGate(text).go.promise;
      call.progress("two");
      return { text };
    },
  }),
];

let service: TestService;
beforeAll(async () => {
  // Calls pending at its stop are answered when the last test allows it.
  service = await startTestService({}, { extraTools: tools, drainMilliseconds: 60_000 });
});
let stopping: Promise<void> | undefined;
const stop = () => {
  stopping ??= service[Symbol.asyncDispose]();
  return stopping;
};
afterAll(stop);

function post(
  name: string,
  text: string,
  options: { era: Era; id?: unknown; meta?: Record<string, unknown>; signal?: AbortSignal },
) {
  const { headers, message } = toMessage("tools/call", { name, arguments: { text } }, options);
  return fetch(`${service.appUrl}/api/mcp`, {
    method: "POST",
    headers: { ...headers, authorization: `Bearer ${service.apiKey}` },
    body: JSON.stringify(message),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
}

describe.each(["modern", "legacy"] as const)("%s", (era) => {
  it("sends the stages of a call, then the result, then its signature", async () => {
    const departureDate = Temporal.Now.plainDateISO().add({ days: 60 }).toString();
    const args = { name: "search_flights", arguments: { origin: "LHR", destination: "JFK", departureDate } };
    const answer = await sendMcp(service, "tools/call", args, { era, meta: { progressToken: "watch" } });
    expect(answer.headers.get("content-type")).toBe("text/event-stream");
    expect(answer.headers.get("x-service-sig")).toBeNull();
    const data = [...answer.text.matchAll(/^data: (.*)$/gm)].map(([, text = ""]) => text);
    const messages = data.map((text): unknown => JSON.parse(text));
    const stage = (progress: number, message: unknown) => ({
      method: "notifications/progress",
      params: { progressToken: "watch", progress, message },
    });
    expect(messages).toMatchObject([
      stage(1, "Requesting offers from the supplier"),
      stage(2, expect.stringMatching(/^Choosing among \d+ offers$/)),
      { id: 1, result: { structuredContent: { sandbox: true } } },
    ]);
    const [, seconds, mac] = /\n: x-service-sig: t=(\d+),v1=(\w+)\n\n$/.exec(answer.text) ?? [];
    const signed = `${seconds}.${answer.headers.get("x-service-trace-id")}.${data.at(-1)}`;
    expect(mac).toBe(createHmac("sha256", service.signingSecret).update(signed).digest("hex"));
    expect(answer.text).toMatch(/\n: x-service-meter-id: use_\w+\n/);
  });

  it("answers clients without streams in one piece", async () => {
    const departureDate = Temporal.Now.plainDateISO().add({ days: 60 }).toString();
    const args = { name: "search_flights", arguments: { origin: "LHR", destination: "JFK", departureDate } };
    const answer = await sendMcp(service, "tools/call", args, {
      era,
      meta: { progressToken: 7 },
      headers: { accept: "application/json" },
    });
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect(answer.body).toMatchObject({ result: { structuredContent: {} } });
  });

  it.each([{}, { progressToken: 1 }])("stops a read whose caller is gone: %j", async (meta) => {
    const text = `gone ${era} ${JSON.stringify(meta)}`;
    const leaving = new AbortController();
    const call = post("watchful_read", text, { era, meta, signal: leaving.signal });
    await openGate(text).begun.promise;
    leaving.abort();
    await expect(call.then((response) => response.text())).rejects.toThrow();
    expect(await openGate(text).ended.promise).toBe("aborted");
  });

  it.each([{}, { progressToken: 1 }])("finishes a write whose caller is gone: %j", async (meta) => {
    const text = `gone write ${era} ${JSON.stringify(meta)}`;
    const leaving = new AbortController();
    const idempotencyKey = `steady ${text}`;
    const call = post("steady_write", text, { era, meta: { ...meta, idempotencyKey }, signal: leaving.signal });
    await openGate(text).begun.promise;
    leaving.abort();
    await expect(call.then((response) => response.text())).rejects.toThrow();
    openGate(text).go.resolve();
    // The same call again: still running, or done for good.
    for (;;) {
      const again = await sendMcp(
        service,
        "tools/call",
        { name: "steady_write", arguments: { text } },
        { era, meta: { idempotencyKey } },
      );
      if (again.text.includes("in_progress")) continue;
      expect(again.body).toMatchObject({
        result: { structuredContent: { text }, _meta: { "wayfare/replayed": true } },
      });
      break;
    }
  });
});

describe("a cancellation in a separate message", () => {
  const cancel = (requestId: unknown, key = service.apiKey) =>
    service.send("/api/mcp", {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
      body: JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } }),
    });

  it.each([{}, { progressToken: 1 }])("stops the one matching read: %j", async (meta) => {
    const text = `cancelled ${JSON.stringify(meta)}`;
    const call = post("watchful_read", text, { era: "legacy", id: text, meta });
    await openGate(text).begun.promise;
    expect((await cancel(text)).status).toBe(202);
    expect(await openGate(text).ended.promise).toBe("aborted");
    await (await call).text();
  });

  it("stops nothing if it matches two calls, or another caller's", async () => {
    const { apiKey } = await service.operator((identity) =>
      identity.mintKey({ tenantId: service.tenantId, environment: "sandbox", actor: "test" }),
    );
    const calls = ["left", "right"].map((text) => post("watchful_read", text, { era: "legacy", id: 77 }));
    const other = post("watchful_read", "other", { era: "legacy", id: 78 });
    for (const text of ["left", "right", "other"]) await openGate(text).begun.promise;
    await cancel(77);
    await cancel("78");
    await cancel(78, apiKey);
    for (const text of ["left", "right", "other"]) openGate(text).go.resolve();
    for (const text of ["left", "right", "other"]) expect(await openGate(text).ended.promise).toBe("finished");
    for (const call of [...calls, other]) expect((await call).status).toBe(200);
  });
});

it("a client that does not read delays no other", async () => {
  const { headers, message } = toMessage("tools/list", {});
  const body = JSON.stringify(message);
  const lines = Object.entries({
    ...headers,
    host: "localhost",
    authorization: `Bearer ${service.apiKey}`,
    "content-length": body.length,
  });
  const text = `POST /api/mcp HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n${body}`;
  const socket = connect(Number(new URL(service.appUrl).port), "127.0.0.1");
  socket.pause();
  await once(socket, "connect");
  socket.write(text.repeat(300));
  for (let round = 0; round < 20; round += 1) expect((await sendMcp(service, "tools/list", {})).status).toBe(200);
  socket.destroy();
});

// Runs last, as nothing is answered after it.
it("a subscription to something constant ends at once, and a stop answers pending streams", async () => {
  const { headers, message } = toMessage("subscriptions/listen", { notifications: { toolsListChanged: true } });
  const listening = await fetch(`${service.appUrl}/api/mcp`, {
    method: "POST",
    headers: { ...headers, authorization: `Bearer ${service.apiKey}` },
    body: JSON.stringify(message),
  });
  expect(listening.headers.get("content-type")).toBe("text/event-stream");
  expect(await listening.text()).toContain("notifications/subscriptions/acknowledged");
  const args = { name: "steady_write", arguments: { text: "drained" } };
  const call = sendMcp(service, "tools/call", args, { era: "modern", meta: { progressToken: 1 } });
  await openGate("drained").begun.promise;
  const stopped = stop();
  // The stop is reported; a foreign page may not even read that.
  for (const origin of ["https://evil.example", service.appUrl]) {
    const late = await sendMcp(service, "tools/list", {}, { headers: { origin } });
    expect({ status: late.status, open: late.headers.get("access-control-allow-origin") }).toEqual({
      status: 503,
      open: origin === service.appUrl ? origin : null,
    });
  }
  openGate("drained").go.resolve();
  expect((await call).text).toMatch(/"structuredContent":\{"text":"drained"\}/);
  await stopped;
});
