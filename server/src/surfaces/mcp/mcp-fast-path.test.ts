import { CLIENT_INFO_META_KEY } from "@modelcontextprotocol/server";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type Era, sendMcp } from "../../../test/support/mcp.ts";
import { createProbes } from "../../../test/support/probe-tools.ts";
import { type Answer, isSignedBy, startTestService, type TestService } from "../../../test/support/service.ts";
import { registry } from "../../contributions.ts";

// Both paths to an answer, with the same messages: without the library where allowed, and always through it.
const probes = createProbes();
let services: readonly [TestService, TestService];
beforeAll(async () => {
  services = await Promise.all([
    startTestService({}, { extraTools: probes.tools }),
    startTestService({ MCP_FAST_PATH: "off" }, { extraTools: probes.tools }),
  ]);
  for (const service of services) await isEquipped(service);
});
afterAll(async () => {
  for (const service of services) await service[Symbol.asyncDispose]();
});

/** Money and agent come by their own transactions, which take a moment: both services must have them. */
async function isEquipped(service: TestService): Promise<void> {
  await service.isFunded(service.tenantId);
  const ownAgent = () => service.call("read_reputation", { recentLimit: 0 });
  await vi.waitFor(async () => expect((await ownAgent()).status).toBe(200), { timeout: 90_000 });
}

const VARYING = new Set(["x-service-sig", "x-service-trace-id", "x-service-meter-id", "date", "content-length"]);

/** Without values that differ each time: ids, times and the suppliers' random data. */
function comparable(answer: Answer, secret: string) {
  expect(isSignedBy(answer, secret)).toBe(true);
  const headers = [...answer.headers].map(([name, value]) => [name, VARYING.has(name) ? "any" : value]);
  const text = answer.text
    .replaceAll(
      /\b(off|sli|seg|pas|ord|use|call|key|bkg|icu|src|srr|rat|acc|ssr|run|tenant|ctx|sea|fail|xfr|gwd|cnv|trn)_\w+/g,
      "$1_any",
    )
    .replaceAll(/(\/claim\/0x[0-9a-f]{64}#)[\w-]{43}/g, "$1any")
    .replaceAll(/(claimCode\\*": ?\\*")\d{6}/g, "$1any")
    .replaceAll(/(api\/files\/)\w{32}/g, "$1any")
    .replaceAll(/[0-9a-f]{40}(?=@wayfare)/g, "any")
    .replaceAll(/127\.0\.0\.1:\d+/g, "supplier")
    .replaceAll(/\b0x[0-9a-fA-F]{40,64}\b/g, "0xany")
    .replaceAll(/[0-9a-f]{32}/g, "any")
    // The faucet's waiting time: two chains, and two clocks read one after the other.
    .replaceAll(/(?<name>(?:waitSeconds|retryAfterSeconds)\\*": ?)\d{4}\b/g, "$<name>7000")
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, "any-time")
    // The ledger skips a number where something was posted before.
    .replaceAll(/("id\\*": ?\\*")\d+/g, "$1any")
    .replaceAll(/("nextCursor\\*": ?\\*")[\w.-]+/g, "$1any")
    // A calendar contains its creation time, from which its number is derived.
    .replaceAll(/(DTSTAMP:)\d{8}T\d{6}Z/g, "$1any-time")
    // Two chains, which are not at the same block.
    .replaceAll(/(?<name>withdrawableAtBlock\\*": ?\\*")\d+/g, "$<name>1")
    .replaceAll(/(?<name>sequence\\*"?: ?)\d+/gi, "$<name>1");
  const body: unknown = JSON.parse(text);
  return { status: answer.status, headers: headers.toSorted(), body };
}

async function both(method: string, params: Record<string, unknown>, era: Era, meta?: Record<string, unknown>) {
  const [fast, slow] = services;
  const options = { era, ...(meta === undefined ? {} : { meta }) };
  const answers = await Promise.all([sendMcp(fast, method, params, options), sendMcp(slow, method, params, options)]);
  const [ours, theirs] = answers;
  const left = comparable(ours, fast.signingSecret);
  expect(left).toEqual(comparable(theirs, slow.signingSecret));
  return { ...left, answers };
}

const today = Temporal.Now.plainDateISO();
const failures: readonly { name: string; params: Record<string, unknown>; says: string }[] = [
  { name: "a declared failure", params: probe("fail"), says: "no_offers" },
  { name: "a failure that may pass", params: probe("later"), says: '\\"retryAfterSeconds\\": 7' },
  { name: "a crash", params: probe("crash"), says: "tool_failed" },
  { name: "a wrong result", params: probe("wrong"), says: "tool_failed" },
  {
    name: "a misspelt argument",
    params: { name: "probe_read", arguments: { txt: "x" } },
    says: 'did you mean \\\\\\"text',
  },
  { name: "no arguments", params: { name: "probe_read" }, says: "invalid_input" },
  { name: "arguments that are a list", params: { name: "probe_read", arguments: [1] }, says: "-32602" },
  { name: "arguments that are null", params: { name: "probe_read", arguments: null }, says: "-32602" },
  { name: "no name", params: { arguments: {} }, says: "-32602" },
  { name: "an unknown tool", params: { name: "probe_raed", arguments: {} }, says: 'Did you mean \\"probe_read' },
  {
    name: "strange keys",
    params: JSON.parse('{"name":"probe_read","arguments":{"text":"x","__proto__":1}}'),
    says: "__proto__",
  },
];

function probe(mood: string) {
  return { name: "probe_read", arguments: { text: "hello", mood } };
}

describe.each(["modern", "legacy"] as const)("%s", (era) => {
  it.each(registry.map((tool) => ({ name: tool.name, tool })))("$name answers alike", async ({ name, tool }) => {
    const ask = () => both("tools/call", { name, arguments: tool.example(today) }, era);
    // Background work of the two services, such as pending transfers, is not always at the same point.
    const found = tool.effect === "read" ? await vi.waitFor(ask, { timeout: 90_000 }) : await ask();
    expect(found.status).toBe(200);
    expect(found.body).toMatchObject({ id: 1, result: { content: [{ type: "text" }] } });
  });

  it.each(failures)("$name is answered alike", async ({ params, says }) => {
    const { answers } = await both("tools/call", params, era);
    for (const { text } of answers) expect(text).toContain(says);
  });

  it("a plain call, a replay and a bad user are answered alike", async () => {
    const call = { name: "probe_write", arguments: { text: era } };
    const first = await both("tools/call", call, era, { idempotencyKey: `key ${era}` });
    expect(first.body).toMatchObject({ result: { structuredContent: { text: era } } });
    const second = await both("tools/call", call, era, { idempotencyKey: `key ${era}` });
    expect(second.body).toMatchObject({ result: { _meta: { "wayfare/replayed": true } } });
    expect(second.headers).toContainEqual(["idempotent-replayed", "true"]);
    const third = await both("tools/call", call, era, { "wayfare/userId": "nobody" });
    expect(third.answers[0].text).toContain("_meta.wayfare/userId");
    const fourth = await both("tools/call", call, era, { idempotencyKey: 7 });
    expect(fourth.answers[0].text).toContain("_meta.idempotencyKey");
  });

  it("lists are answered alike, again and again", async () => {
    for (const method of [
      "tools/list",
      "server/discover",
      "tools/list",
      "server/discover",
      "prompts/list",
      "nonsense",
    ]) {
      await both(method, {}, era);
    }
    await both("tools/list", { cursor: "x" }, era);
  });

  it("a client that calls itself null is answered alike, even after one without a name", async () => {
    for (const info of [undefined, null]) await both("tools/list", {}, era, { [CLIENT_INFO_META_KEY]: info });
  });

  it("the HTTP header marks the repetition as well", async () => {
    const headers = { "idempotency-key": `header ${era}` };
    const call = { name: "probe_write", arguments: { text: `header ${era}` } };
    for (const service of services) {
      await sendMcp(service, "tools/call", call, { era, headers });
      const again = await sendMcp(service, "tools/call", call, { era, headers });
      expect(again.body).toMatchObject({ result: { _meta: { "wayfare/replayed": true } } });
      expect(probes.runs(`header ${era}`)).toBeLessThanOrEqual(services.indexOf(service) + 1);
    }
  });

  it("the two paths are different", async () => {
    const ways = (await both("tools/call", probe("ok"), era)).answers.map(({ text }) => /^\{"(\w+)/.exec(text)?.[1]);
    expect(ways).toEqual(["jsonrpc", "result"]);
  });

  it("a trace that the message continues is the answer's trace", async () => {
    const traceparent = `00-${"ab".repeat(16)}-${"cd".repeat(8)}-01`;
    const { answers } = await both("tools/call", probe("ok"), era, { traceparent });
    for (const { headers } of answers) expect(headers.get("x-service-trace-id")).toBe("ab".repeat(16));
  });
});
