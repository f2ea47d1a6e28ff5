import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { type MailServer, startMailServer } from "../../../test/support/mail-server.ts";
import { createProbes } from "../../../test/support/probe-tools.ts";
import { startTestService, type TestService } from "../../../test/support/service.ts";
import type { TypesOf } from "../../kernel/contracts/tool.ts";
import { defineWorkflow, type Steps, type Workflow } from "../../kernel/contracts/workflow.ts";

type Probes = TypesOf<ReturnType<typeof createProbes>["tools"][number]>;
const Approved = z.object({ status: z.enum(["approved", "rejected"]) });

/** Writes, waits for a person, writes again, and undoes the first write if that fails. */
function purchase(version: number, second = "second"): Workflow {
  return defineWorkflow({
    id: "test.purchase",
    version,
    description: "For tests.",
    steps: [],
    input: z.strictObject({
      name: z.string(),
      mood: z.enum(["ok", "fail", "busy"]).default("ok"),
      by: z.enum(["caller", "person"]).default("caller"),
    }),
    async run({ name, mood, by }, { call, pause, undo }: Steps<Probes>) {
      const first = await call("probe_write", { text: `${name} first` }, { step: "first" });
      undo(async () => {
        await call("probe_write", { text: `${name} undo first` }, { step: "first" });
        return undefined;
      });
      const { status } = await pause({
        step: "decision",
        reason: "Shall it go on?",
        resolution: Approved,
        by,
        shown: first,
        timeoutHours: 24,
        onTimeout: { status: "rejected" },
      });
      const last = await call("probe_write", { text: `${name} last`, mood }, { step: second });
      return { status, first: first.text, last: last.text };
    },
  });
}

/** Cancelled at the moment after which everything done is kept. */
const cancelledLate: Workflow = defineWorkflow({
  id: "test.cancelled_late",
  version: 1,
  description: "For tests.",
  steps: [],
  input: z.strictObject({}),
  async run(_input, { call, keep, undo, run }: Steps<Probes>) {
    await call("probe_write", { text: "kept first" }, { step: "first" });
    undo(async () => {
      await call("probe_write", { text: "undo kept first" }, { step: "first" });
      return undefined;
    });
    keep();
    await service.sql("update workflow_run set cancel_requested_by = 'somebody' where id = $1", [run.id]);
    return await call("probe_write", { text: "kept last" }, { step: "last" });
  },
});

/** Reads fields that the first release of its tool did not answer. */
const earlier: Workflow = defineWorkflow<z.ZodObject, Probes>({
  id: "test.earlier",
  version: 1,
  description: "For tests.",
  steps: [],
  input: z.strictObject({}),
  earlierAnswers: { probe_read: { text: "as before" } },
  async run(_input, { call, pause }) {
    const { text } = await call("probe_read", { text: "now" });
    await pause({
      step: "decision",
      reason: "Go on?",
      resolution: Approved,
      by: "caller",
      timeoutHours: 24,
      onTimeout: { status: "rejected" },
    });
    return { text };
  },
});

const probes = createProbes();
const known: Workflow[] = [purchase(1), cancelledLate, earlier];
let service: TestService;
let mails: MailServer;
let hoursLater = 0;

beforeAll(async () => {
  mails = await startMailServer();
  const clock = { now: () => Temporal.Now.instant().add({ hours: hoursLater }) };
  service = await startTestService(
    { SMTP_URL: mails.url, MAIL_FROM: "trips@wayfare.example" },
    { extraTools: probes.tools, decorate: { workflows: () => known }, clock },
  );
});
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await mails?.[Symbol.asyncDispose]();
});

const ask = async (path: string, body?: unknown, key = service.apiKey) =>
  await service.send(`/api/workflows/${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
const start = async (input: object) => {
  const answer = await ask("run", { workflowId: "test.purchase", tenantId: service.tenantId, input });
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
};
const resume = async (sessionId: unknown, resolution: object, key?: string) =>
  await ask("resume", { sessionId, resolution }, key);

describe("a run", () => {
  it("pauses, says what it waits for, and continues to its end with each effect once", async () => {
    const paused = await start({ name: "plain" });
    expect(paused).toMatchObject({
      status: "paused",
      nextStepId: "decision",
      pauseReason: "Shall it go on?",
      decidedBy: "caller",
      shown: { text: "plain first" },
      result: null,
      failure: null,
    });
    expect(paused.sessionId).toMatch(/^ses_[0-9A-Za-z]{32}$/);
    const ended = await resume(paused.sessionId, { status: "approved" });
    expect(ended.body).toMatchObject({
      status: "completed",
      sessionId: null,
      nextStepId: null,
      result: { status: "approved", first: "plain first", last: "plain last" },
    });
    expect([probes.runs("plain first"), probes.runs("plain last"), probes.runs("plain undo first")]).toEqual([1, 1, 0]);
    const read = await ask(`runs/${String(paused.runId)}`);
    const prices = Object(read.body.steps).map(
      ({ priceMicroUsdc }: { priceMicroUsdc: string | null }) => priceMicroUsdc,
    );
    expect(prices).toEqual(["5000", null, "5000"]);
    expect(read.body.totalPriceMicroUsdc).toBe("10000");
    expect(read.body.steps).toMatchObject([
      {
        step: "first",
        tool: "probe_write",
        state: "done",
        priceMicroUsdc: "5000",
        meterId: expect.stringMatching(/^use_/),
      },
      { step: "decision", tool: null, state: "done", references: { status: "approved" } },
      { step: "second", tool: "probe_write", state: "done", attempt: 1 },
    ]);
  });

  it("is undone when a step fails, and says what was undone", async () => {
    const { sessionId } = await start({ name: "undone", mood: "fail" });
    const { body } = await resume(sessionId, { status: "approved" });
    expect(body).toMatchObject({
      status: "failed",
      failure: { code: "no_offers", undone: ["first"], notUndone: [] },
    });
    expect(probes.runs("undone undo first")).toBe(1);
  });

  it("that is cancelled while it waits undoes its steps, once", async () => {
    const { runId, sessionId } = await start({ name: "cancelled" });
    const [one, other] = await Promise.all([
      ask(`runs/${String(runId)}/cancel`, {}),
      ask(`runs/${String(runId)}/cancel`, {}),
    ]);
    expect([one.status, other.status].toSorted()[0]).toBe(200);
    const { body } = await ask(`runs/${String(runId)}`);
    expect(body).toMatchObject({ status: "failed", failure: { code: "run_cancelled", undone: ["first"] } });
    expect([probes.runs("cancelled undo first"), probes.runs("cancelled last")]).toEqual([1, 0]);
    expect((await resume(sessionId, { status: "approved" })).body).toMatchObject({ code: "session_closed" });
    expect((await ask(`runs/${String(runId)}/cancel`, {})).status).toBe(409);
  });

  it("is cancelled by the agent's tool, too, and once; the caller names its own run, or a trip", async () => {
    const { runId } = await start({ name: "by tool" });
    const cancel = async (args: object) => (await service.call("cancel_run", args)).body;
    const cancelled = { runId, status: "failed", failure: { code: "run_cancelled", undone: ["first"] } };
    expect((await cancel({ runId })).result).toMatchObject({ runs: [cancelled] });
    expect((await cancel({ runId })).result).toMatchObject({ runs: [cancelled] });
    expect(probes.runs("by tool undo first")).toBe(1);
    expect(await cancel({ runId: "run_none" })).toMatchObject({ code: "run_not_found" });
    expect(await cancel({})).toMatchObject({ code: "invalid_input" });
    expect((await cancel({ tripId: `0x${"ab".repeat(32)}` })).result).toEqual({ runs: [] });
  });

  it("starts once for a call repeated after its process died", async () => {
    const args = { workflowId: "test.purchase", input: { name: "keyed" } };
    const send = () => service.call("run_workflow", args, { headers: { "idempotency-key": "k-dead" } });
    const first = (await send()).body.result;
    // Releases the keys of calls without effects whose process has died.
    await service.sql("delete from idempotency where key = 'k-dead'");
    expect((await send()).body.result).toMatchObject({ runId: Object(first).runId });
  });

  it("starts once for one idempotency key", async () => {
    const send = async (name: string) =>
      await service.send("/api/workflows/run", {
        method: "POST",
        headers: {
          "content-type": "application/json",
          authorization: `Bearer ${service.apiKey}`,
          "idempotency-key": "k1",
        },
        body: JSON.stringify({ workflowId: "test.purchase", input: { name } }),
      });
    const [first, again] = [await send("once"), await send("once")];
    expect(again.body.runId).toBe(first.body.runId);
    expect((await send("another")).body).toMatchObject({ code: "idempotency_mismatch" });
  });
});

describe("a resolution", () => {
  it("wins once of fifty at the same moment; the others are told that it is closed", async () => {
    const { sessionId } = await start({ name: "fifty" });
    const all = await Promise.all(Array.from({ length: 50 }, () => resume(sessionId, { status: "approved" })));
    const codes = all.map(({ status, body }) => (status === 200 ? "won" : body.code));
    expect(codes.filter((code) => code === "won")).toHaveLength(1);
    expect(new Set(codes)).toEqual(new Set(["won", "session_closed"]));
    expect(probes.runs("fifty last")).toBe(1);
  });

  it.each([
    [{ status: "perhaps" }, "resolution.status"],
    [{}, "resolution.status"],
  ])("%j does not fit what is expected", async (resolution, path) => {
    const { sessionId } = await start({ name: `bad ${path} ${JSON.stringify(resolution)}` });
    const { status, body } = await resume(sessionId, resolution);
    expect([status, body.code]).toEqual([400, "invalid_input"]);
    expect(body.issues).toMatchObject([{ path }]);
  });

  it("by a person is accepted neither from a plain key nor from the agent's tool, but from a token that names the person", async () => {
    const { sessionId, runId } = await start({ name: "person", by: "person" });
    expect((await resume(sessionId, { status: "approved" })).body).toMatchObject({
      code: "missing_scope",
      scope: "approvals:decide",
    });
    const byTool = await service.call("resume_run", { sessionId, resolution: { status: "approved" } });
    expect(byTool.body).toMatchObject({ code: "person_decides" });
    const token = service.internalToken;
    expect((await resume(sessionId, { status: "approved" }, token)).body).toMatchObject({
      code: "invalid_input",
      issues: [{ path: "resolution.approvedBy" }],
    });
    const ended = await resume(sessionId, { status: "approved", approvedBy: "Ada Approver" }, token);
    expect(ended.body).toMatchObject({ status: "completed", runId });
    const [pause] = await service.sql("select resolved_by from workflow_pause where run_id = $1", [runId]);
    expect(pause?.resolved_by).toMatch(/^svc:key_.* for Ada Approver$/);
    const audited = "select actor, details from audit_log where subject_id = $1 and action = 'run.decide'";
    expect(await service.sql(audited, [runId])).toEqual([
      { actor: pause?.resolved_by, details: { step: "decision", resolution: { status: "approved" } } },
    ]);
  });
});

describe("a run is visible to", () => {
  it("its tenant, in its environment, and the tokens bound to it", async () => {
    const { runId, sessionId } = await start({ name: "mine" });
    const { apiKey } = await service.operator((identity) => identity.createTenant({ name: "Other", actor: "test" }));
    expect((await ask(`runs/${String(runId)}`, undefined, apiKey)).status).toBe(404);
    expect((await resume(sessionId, { status: "approved" }, apiKey)).status).toBe(404);
    expect((await ask("runs", undefined, apiKey)).body.runs).toEqual([]);
    const stranger = await ask(
      "run",
      { workflowId: "test.purchase", tenantId: service.tenantId, input: { name: "x" } },
      apiKey,
    );
    expect(stranger.body).toMatchObject({ code: "tenant_not_found" });
    expect((await ask("runs", undefined, `itk_${"0".repeat(40)}`)).status).toBe(401);
    const listed = await ask(`runs?tenantId=${service.tenantId}&limit=1`, undefined, service.internalToken);
    expect(listed.body.runs).toHaveLength(1);
    expect(listed.body.nextCursor).toMatch(/^run_/);
  });

  it("keys with the scopes of its calls, and continues with another key once its own is revoked", async () => {
    const { apiKey, key } = await service.operator((identity) =>
      identity.mintKey({ tenantId: service.tenantId, environment: "sandbox", actor: "test" }),
    );
    const begun = await ask("run", { workflowId: "test.purchase", input: { name: "revoked" } }, apiKey);
    const other = await ask("run", { workflowId: "test.purchase", input: { name: "without a key" } }, apiKey);
    await service.operator((identity) => identity.revokeKey(service.tenantId, key.id, "test"));
    const asked = await resume(begun.body.sessionId, { status: "approved" }, service.internalToken);
    expect(asked.body, "the token's own key goes on").toMatchObject({ status: "completed" });
    // As an event resolves it, which brings no other key.
    await service.sql(
      `with resolved as (update workflow_pause set resolution = $2, resolved_by = 'event', resolved_at = now() where run_id = $1),
         step as (update workflow_step set state = 'done', outcome = jsonb_build_object('resolution', $2::jsonb) where run_id = $1 and state = 'waiting')
       update workflow_run set state = 'running', quiet_until = null where id = $1`,
      [other.body.runId, '{"status":"approved"}'],
    );
    const read = async () => (await ask(`runs/${other.body.runId}`, undefined, service.internalToken)).body;
    await expect.poll(async () => (await read()).pauseReason).toContain("The key of the run was revoked");
  });
});

it("a changed workflow asks what to do with a run that it does not match, and continues once it matches again", async () => {
  const { sessionId, runId } = await start({ name: "changed" });
  known.splice(0, 1, changedPurchase);
  const asked = await resume(sessionId, { status: "approved" });
  expect(asked.body).toMatchObject({ status: "paused", runId, nextStepId: "first:changed:1" });
  expect(asked.body.pauseReason).toContain("The workflow was changed: its step first was probe_write");
  known.splice(0, 1, purchase(2));
  const ended = await resume(asked.body.sessionId, { status: "retry" });
  expect(ended.body).toMatchObject({ status: "completed" });
  expect(probes.runs("changed first")).toBe(1);
});

const changedPurchase: Workflow = defineWorkflow({
  id: "test.purchase",
  version: 2,
  description: "For tests.",
  steps: [],
  input: z.looseObject({}),
  async run(_input, { call }: Steps<Probes>) {
    await call("probe_read", { text: "other" }, { step: "first" });
    return {};
  },
});

describe("a journaled answer", () => {
  const startEarlier = async () =>
    (await ask("run", { workflowId: "test.earlier", tenantId: service.tenantId, input: {} })).body;
  const store = (runId: unknown, answer: object) =>
    service.sql("update workflow_step set outcome = $2 where run_id = $1 and step_id = 'probe_read'", [
      runId,
      JSON.stringify({ ok: true, result: answer }),
    ]);

  it("of an earlier release gets the workflow's defaults for missing fields", async () => {
    const { runId, sessionId } = await startEarlier();
    await store(runId, {});
    expect((await resume(sessionId, { status: "approved" })).body).toMatchObject({
      status: "completed",
      result: { text: "as before" },
    });
  });

  it("that does not match the tool's schema is a question to a person", async () => {
    const { runId, sessionId } = await startEarlier();
    await store(runId, { text: 7 });
    const asked = (await resume(sessionId, { status: "approved" })).body;
    expect(asked).toMatchObject({ status: "paused", nextStepId: "probe_read:changed:1" });
    await store(runId, { text: "mended" });
    const ended = await resume(asked.sessionId, { status: "retry" });
    expect(ended.body).toMatchObject({ status: "completed", result: { text: "mended" } });
  });
});

it("a retryable step is repeated with the same key, until the run is cancelled", async () => {
  const { sessionId, runId } = await start({ name: "busy", mood: "busy" });
  const resumed = resume(sessionId, { status: "approved" });
  await expect
    .poll(async () => (await ask(`runs/${String(runId)}`)).body.steps)
    .toMatchObject([{}, {}, { attempt: 2 }]);
  await ask(`runs/${String(runId)}/cancel`, {});
  expect((await resumed).body).toMatchObject({ status: "failed", failure: { undone: ["first"] } });
});

it("that is cancelled after its work is final finishes it", async () => {
  const { body } = await ask("run", { workflowId: "test.cancelled_late", tenantId: service.tenantId, input: {} });
  expect(body).toMatchObject({ status: "completed", result: { text: "kept last" } });
  expect(probes.runs("undo kept first")).toBe(0);
});

// Runs last, as it moves the clock.
it("everyone who can resolve a pause is reminded at half of its time, and at its end it has the stated outcome", async () => {
  const person = { id: "usr_grace", name: "Grace", email: "grace@example.com", roles: ["approver" as const] };
  const owner = { tenantId: service.tenantId, environment: "sandbox" as const };
  await service.operator(({ persons }) => persons.add(owner, person, "test"));
  const { runId, sessionId } = await start({ name: "reminded", by: "person" });
  const read = async () => (await ask(`runs/${String(runId)}`)).body;
  expect(await read()).toMatchObject({ onTimeout: { status: "rejected" }, steps: [{}, { remindedAt: null }] });
  hoursLater = 13;
  await expect
    .poll(read, { timeout: 20_000 })
    .toMatchObject({ status: "paused", steps: [{}, { remindedAt: expect.stringMatching(/^2/) }] });
  // The tenant's other persons are reminded too.
  const toGrace = () => mails.received.filter(({ to }) => to.includes(person.email));
  await expect.poll(() => toGrace().length, { timeout: 20_000 }).toBe(1);
  const [mail] = toGrace();
  expect(mail?.parsed.text).toContain(`The run ${String(runId)} of test.purchase is waiting: Shall it go on?`);
  expect(mail?.parsed.text).toContain('it continues with {"status":"rejected"}');
  hoursLater = 25;
  await expect.poll(read, { timeout: 20_000 }).toMatchObject({ status: "completed", result: { status: "rejected" } });
  expect((await resume(sessionId, { status: "approved" })).body).toMatchObject({ code: "session_closed" });
  expect(toGrace()).toHaveLength(1);
});
