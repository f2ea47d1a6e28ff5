import { randomBytes, randomUUID } from "node:crypto";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/client/validators/ajv";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { sendMcp } from "../../../test/support/mcp.ts";
import { type Buyer, createBuyer } from "../../../test/support/paid.ts";
import { createShownOnceProbe } from "../../../test/support/probe-tools.ts";
import { searchDatabase } from "../../../test/support/search-database.ts";
import { startTestService, type TestService } from "../../../test/support/service.ts";
import { requireResult } from "../../../test/support/treasury.ts";
import { createCatalog, jsonSchema } from "../../kernel/contracts/catalog.ts";
import { buildRedaction, SHOWN_ONCE_TEXT, shownOnce } from "../../kernel/contracts/shown-once.ts";

/** A value shown once is in the first answer only: not in the database, not in the log, not in a second answer. */
let service: TestService;
let buyer: Buyer;
let logged = "";
const probe = createShownOnceProbe();
beforeAll(async () => {
  const logTo = { write: (line: string) => (logged += line) };
  service = await startTestService({ LOG_LEVEL: "debug" }, { extraTools: [probe.tool], logTo });
  buyer = createBuyer(service);
});
afterAll(() => service?.[Symbol.asyncDispose]());

const newSecret = (): string => `secret${randomBytes(12).toString("hex")}`;
const newArguments = () => ({ secret: newSecret(), plain: `plain${randomBytes(12).toString("hex")}` });
const shown = ({ secret, plain }: { secret: string; plain: string }) => ({
  secret,
  secrets: [{ secret, name: plain }],
  plain,
});
const kept = ({ plain }: { plain: string }) => shown({ secret: SHOWN_ONCE_TEXT, plain });

describe("an answer with shown-once values", () => {
  it("is complete the first time, and lacks them when its Idempotency-Key is sent again", async () => {
    const args = newArguments();
    const headers = { "idempotency-key": randomUUID() };
    const before = probe.runs();
    const first = await service.call("probe_shown_once", args, { headers });
    expect(requireResult(first)).toEqual(shown(args));
    const again = await service.call("probe_shown_once", args, { headers });
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(requireResult(again)).toEqual(kept(args));
    expect(probe.runs()).toBe(before + 1);
    // Arguments are compared as sent, even shown-once ones.
    const other = await service.call("probe_shown_once", { ...args, secret: newSecret() }, { headers });
    expect(other).toMatchObject({ status: 422, body: { code: "idempotency_mismatch" } });
    expect(await searchDatabase(service, args.secret)).toEqual([]);
    expect(await searchDatabase(service, args.plain)).not.toEqual([]);
  });

  it("does so over MCP, where a repetition still fits the published schema", async () => {
    const args = newArguments();
    const call = () =>
      sendMcp(
        service,
        "tools/call",
        { name: "probe_shown_once", arguments: args },
        { headers: { "idempotency-key": args.plain } },
      );
    const Content = z.object({
      result: z.object({
        content: z.tuple([z.object({ text: z.string() })]),
        structuredContent: z.looseObject({}),
        isError: z.boolean().optional(),
      }),
    });
    const first = Content.parse((await call()).body).result;
    expect(first.structuredContent).toEqual(shown(args));
    const again = Content.parse((await call()).body).result;
    expect(again.structuredContent).toEqual({ ...kept(args), replayed: true });
    expect(JSON.parse(again.content[0].text)).toEqual({ ...kept(args), replayed: true });
    const [entry] = createCatalog([probe.tool]).entries;
    const validate = new AjvJsonSchemaValidator().getValidator({ ...entry?.outputSchema });
    expect(validate(kept(args)).valid).toBe(true);
    expect(validate({ ...kept(args), secret: 7 }).valid).toBe(false);
    expect(await searchDatabase(service, args.secret)).toEqual([]);
    expect(await searchDatabase(service, args.plain)).not.toEqual([]);
  });

  it("does so when it was bought, and its payment is sent again", async () => {
    const args = newArguments();
    const payment = { "payment-signature": await buyer.sign("probe_shown_once") };
    const first = await buyer.post("probe_shown_once", args, payment);
    expect(first.text).toContain(args.secret);
    const again = await buyer.post("probe_shown_once", args, payment);
    expect(again.status).toBe(200);
    expect(again.text).not.toContain(args.secret);
    expect(again.text).toContain(SHOWN_ONCE_TEXT);
    expect(again.text).toContain(args.plain);
    expect(await searchDatabase(service, args.secret)).toEqual([]);
    expect(await searchDatabase(service, args.plain)).not.toEqual([]);
  });

  it("is computed again for a caller that was not answered in time, and shown to it once", async () => {
    const args = { ...newArguments(), mood: "late" };
    const headers = { "idempotency-key": randomUUID() };
    const call = () => service.call("probe_shown_once", args, { headers });
    expect(await call()).toMatchObject({ status: 500, body: { code: "provider_timeout" } });
    expect(await call()).toMatchObject({ status: 409, body: { code: "in_progress" } });
    // As stored by the process that completes it.
    const result = JSON.stringify({ secret: SHOWN_ONCE_TEXT, secrets: [], plain: args.plain });
    const callId = probe.findCall(args.plain);
    await service.sql("update call set effect = 'done', result = $2 where id = $1", [callId, result]);
    let answer = await call();
    const repeat = async () => {
      answer = await call();
      return answer.status;
    };
    await expect.poll(repeat).toBe(200);
    expect(requireResult(answer)).toEqual({ secret: args.secret, secrets: [], plain: args.plain });
    expect(answer.headers.get("idempotent-replayed")).toBe("true");
    const again = await call();
    expect(requireResult(again)).toEqual({ secret: SHOWN_ONCE_TEXT, secrets: [], plain: args.plain });
    const key = headers["idempotency-key"];
    expect(await service.sql("select call_id from usage_record where idempotency_key = $1", [key])).toEqual([
      { call_id: callId },
    ]);
    expect(await searchDatabase(service, args.secret)).toEqual([]);
  });

  it("leaves no trace of them when it fails, in the database or in the log", async () => {
    for (const mood of ["fail", "crash"]) {
      const args = { ...newArguments(), mood };
      const headers = { "idempotency-key": randomUUID() };
      const answer = await service.call("probe_shown_once", args, { headers });
      expect(answer.status).toBe(500);
      expect(await searchDatabase(service, args.secret)).toEqual([]);
    }
    const misspelt = newSecret();
    await service.call("probe_shown_once", { secret: misspelt, plain: [misspelt], [misspelt]: 1 });
    await service.send("/api/agent/dispatch", {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${service.apiKey}` },
      body: `{"tool": "probe_shown_once", "args": {"secret": "${misspelt}"`,
    });
    await sendMcp(service, "tools/call", { name: "probe_shown_once", arguments: { secret: misspelt } });
    expect(await searchDatabase(service, misspelt)).toEqual([]);
    expect(logged).toContain("it broke");
    expect(logged).not.toMatch(/secret[0-9a-f]{24}/);
  });
});

describe("a schema with shown-once values", () => {
  it("is published without a custom keyword, and describes in words what a second answer has", async () => {
    const list = await sendMcp(service, "tools/list", {});
    expect(list.text).toContain("probe_shown_once");
    const description = await service.send("/openapi.json", {});
    for (const { text } of [list, description]) expect(text).not.toMatch(/"(x-)?shown-?once"/i);
    const [entry] = createCatalog([probe.tool]).entries;
    // The list over MCP has no descriptions of results; the documentation is generated from the catalog's schemas.
    expect(JSON.stringify(entry?.outputSchema)).toContain(
      `A repeated answer contains \\"${SHOWN_ONCE_TEXT}\\" instead`,
    );
    expect(JSON.stringify(entry?.inputSchema)).not.toContain("repeated answer");
  });

  it("is searched through every construct of a schema", () => {
    const secret = () => shownOnce(z.string());
    const Everything = z.object({
      described: secret().describe("d"),
      optional: secret().optional().describe("o"),
      nullable: secret().nullable(),
      defaulted: secret().default("x"),
      checked: secret().refine((text) => text !== ""),
      list: z.array(z.object({ at: secret(), other: z.string() })).readonly(),
      pair: z.tuple([z.string(), secret()]),
      record: z.record(z.string(), secret()),
      either: z.union([z.object({ one: secret() }), z.object({ two: z.string() })]),
      both: z.intersection(z.object({ left: secret() }), z.object({ right: z.string() })),
      plain: z.string(),
    });
    const s = SHOWN_ONCE_TEXT;
    const value = {
      described: "1",
      optional: "1",
      nullable: "1",
      defaulted: "1",
      checked: "1",
      list: [
        { at: "1", other: "2" },
        { at: "1", other: "2" },
      ],
      pair: ["2", "1"],
      record: { a: "1", b: "1" },
      either: { one: "1", two: "2" },
      both: { left: "1", right: "2" },
      plain: "2",
    };
    const before = structuredClone(value);
    const redacted = buildRedaction(Everything, "output")(value);
    expect(redacted).toEqual({
      described: s,
      optional: s,
      nullable: s,
      defaulted: s,
      checked: s,
      list: [
        { at: s, other: "2" },
        { at: s, other: "2" },
      ],
      pair: ["2", s],
      record: { a: s, b: s },
      either: { one: s, two: "2" },
      both: { left: s, right: "2" },
      plain: "2",
    });
    expect(value).toEqual(before);
    expect(JSON.stringify(redacted)).not.toContain("1");
  });

  it("ignores missing values, and returns values with nothing to hide unchanged", () => {
    const redact = buildRedaction(z.object({ code: shownOnce(z.string()).optional(), name: z.string() }), "output");
    expect(redact({ name: "n" })).toEqual({ name: "n" });
    expect(redact({ name: "n", code: undefined })).toEqual({ name: "n", code: undefined });
    for (const odd of [undefined, null, 7, "text", []]) expect(redact(odd)).toEqual(odd);
    const value = { name: "n" };
    expect(buildRedaction(z.object({ name: z.string() }), "output")(value)).toBe(value);
  });

  it("is refused at the start if the replacement text would not fit, or could be missed", () => {
    const marks = [
      shownOnce(z.string().max(10)),
      shownOnce(z.string().regex(/^\d{6}$/)),
      shownOnce(z.enum(["a", "b"])),
      shownOnce(z.email()),
    ];
    for (const field of marks) expect(() => buildRedaction(z.object({ field }), "output")).toThrow("plain text");
    // Inputs are never validated again.
    expect(buildRedaction(z.object({ code: shownOnce(z.string().max(6)) }), "input")({ code: "1" })).toEqual({
      code: SHOWN_ONCE_TEXT,
    });
    interface Tree {
      secret: string;
      below: Tree[];
    }
    const Tree: z.ZodType<Tree> = z.lazy(() => z.object({ secret: shownOnce(z.string()), below: z.array(Tree) }));
    expect(() => buildRedaction(z.object({ tree: Tree }), "output")).toThrow("holds itself");
  });

  it("keeps its description, and callers are told never to store it", () => {
    const Code = z.object({ code: shownOnce(z.string()).describe("Six digits") });
    const [given, answered] = (["input", "output"] as const).map((io) => jsonSchema(Code, io));
    expect(given).toMatchObject({ properties: { code: { description: "Six digits. Never store it" } } });
    const description = expect.stringMatching(/^Six digits\. Never store it\. A repeated answer/);
    expect(answered).toMatchObject({ properties: { code: { description } } });
  });
});
