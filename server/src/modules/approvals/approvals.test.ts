import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { ApprovalDesk, type TestPerson } from "../../../test/support/approval-desk.ts";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { requireResult, stranger } from "../../../test/support/treasury.ts";
import { runProgram } from "../../commands/command-line.ts";
import { keyProgram } from "../../commands/key.ts";
import { systemRandom } from "../../domain/ids.ts";
import { personalScopes } from "../../domain/scopes.ts";
import { openDatabase } from "../../platform/database/database.ts";
import { systemClock } from "../../ports/clock.ts";
import { TokenAdministration } from "../workflows/store-internal-tokens.ts";

/** From the refusal of a call to the same call that succeeds once. */

let service: TestService;
let desk: ApprovalDesk;
let approver: TestPerson;
beforeAll(async () => {
  service = await openSharedService();
  await service.isFunded(service.tenantId);
  desk = new ApprovalDesk(service);
  approver = await desk.newPerson("Grace", "approver");
  await desk.enforce({});
});
afterAll(() => service?.[Symbol.asyncDispose]());

const user = (...args: string[]) => desk.user(...args);
const decide = (approvalId: unknown, decision: object, key = approver.key) => desk.decide(approvalId, decision, key);
const ask = (...args: Parameters<ApprovalDesk["ask"]>) => desk.ask(...args);

const transfer = (amount = "5") => ({ to: stranger(), amount, token: "USDC" });
const send = (args: object) => service.call("send_tokens", args);
/** An internal token of the operator's, bound to the tenant. */
async function newToken(): Promise<string> {
  const { db, close } = openDatabase(service.config.databaseUrl ?? "", { poolSize: 1, onError: () => undefined });
  try {
    const tokens = new TokenAdministration(db, { clock: systemClock, random: systemRandom });
    const { id, token } = await tokens.issue("desk", "test");
    const tenant = { tenantId: service.tenantId, environment: "sandbox" } as const;
    await service.operator((operator) => tokens.bind(operator, id, tenant, "test"));
    return token;
  } finally {
    await close();
  }
}
/** A transfer that waits for approval. */
async function waiting() {
  const args = transfer();
  const { body } = await send(args);
  expect(body.code).toBe("approval_required");
  return { args, approvalId: String(body.approvalId) };
}
const change = (approvalId: string, set: string) =>
  service.sql(`update approval set ${set} where tenant_id = $1 and id = $2`, [service.tenantId, approvalId]);

describe("a call that a policy allows only with an approval", () => {
  it("is refused with the approval's id, and succeeds once after the approval", async () => {
    const offerId = await desk.anOffer(80);
    const book = () => service.call("book_flight", { offerId });
    // A preview reports it without requesting an approval.
    const preview = await service.call("preview_call", { tool: "book_flight", args: { offerId } });
    expect(requireResult(preview)).toMatchObject({ accepted: false, problem: { code: "approval_required" } });
    expect((await ask("/api/approvals")).body.approvals).toEqual([]);
    const refused = await book();
    expect([refused.status, refused.body]).toMatchObject([
      403,
      { code: "approval_required", retryable: true, approvalId: expect.stringMatching(/^apr_/) },
    ]);
    const { approvalId } = refused.body;
    // The same call does not request another approval.
    expect((await book()).body).toMatchObject({ code: "approval_required", approvalId });
    const listed = await ask("/api/approvals", undefined, approver.key);
    expect(listed.body).toMatchObject({
      approvals: [
        {
          approvalId,
          state: "pending",
          tool: "book_flight",
          role: "approver",
          evidence: { bought: { kind: "flight", legs: [{ origin: "LHR", destination: "JFK" }] } },
        },
      ],
    });
    const decided = await decide(approvalId, { decision: "approve", reason: "The client pays." });
    expect([decided.status, decided.body]).toMatchObject([200, { state: "approved", decidedBy: approver.id }]);
    // Displayed again, it is the same offer.
    await service.call("display_offer_conditions", { offerId });
    const booked = await book();
    expect(booked.status, booked.text).toBe(200);
    expect((await ask(`/api/approvals/${String(approvalId)}`)).body).toMatchObject({ state: "used" });
    // A finished call is neither repeated nor submitted for approval again.
    const again = await book();
    expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([200, "true"]);
    const audit = await service.sql(
      "select action, actor, details from audit_log where tenant_id = $1 and subject_id = $2 order by id",
      [service.tenantId, approvalId],
    );
    expect(audit).toMatchObject([
      { action: "approval.request", details: { evidence: { bought: { kind: "flight" } } } },
      { action: "approval.decide", actor: approver.id, details: { to: "approved", reason: "The client pays." } },
    ]);
  });

  it("succeeds once among concurrent repetitions", async () => {
    const { args, approvalId } = await waiting();
    await decide(approvalId, { decision: "approve" });
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(args)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const codes = new Set(answers.filter(({ status }) => status !== 200).map(({ body }) => String(body.code)));
    expect(codes.isSubsetOf(new Set(["in_progress", "approval_used", "approval_required"])), [...codes].join()).toBe(
      true,
    );
  });

  it("is refused with a separate code for each thing that an approval does not cover", async () => {
    const used = await waiting();
    await decide(used.approvalId, { decision: "approve" });
    expect((await send(used.args)).status).toBe(200);
    const second = (await send(used.args)).body;
    expect(second).toMatchObject({ code: "approval_used", retryable: true });
    expect(second.approvalId).not.toBe(used.approvalId);
    expect((await send(used.args)).body).toMatchObject({ code: "approval_required", approvalId: second.approvalId });

    const refusals: [string, string | undefined, string, boolean][] = [
      ["approval_expired", "expires_at = now() - interval '1 second'", "approve", true],
      ["approval_price_changed", "amount_micro = amount_micro - 1", "approve", true],
      ["approval_offer_changed", "content_hash = 'another'", "approve", true],
      ["approval_rejected", undefined, "reject", false],
    ];
    for (const [code, set, decision, retryable] of refusals) {
      const { args, approvalId } = await waiting();
      expect((await decide(approvalId, { decision })).status, code).toBe(200);
      if (set !== undefined) await change(approvalId, set);
      const { body } = await send(args);
      expect(body, code).toMatchObject({ code, retryable });
      // A new approval is requested unless a person has refused.
      expect(body.approvalId === approvalId, code).toBe(!retryable);
      expect((await send(args)).body.code).toBe(retryable ? "approval_required" : code);
    }
    const { args, approvalId } = await waiting();
    await decide(approvalId, { decision: "approve" });
    expect((await decide(approvalId, { decision: "revoke" })).body.state).toBe("revoked");
    expect((await send(args)).body).toMatchObject({ code: "approval_revoked", retryable: false, approvalId });
    // Control: without a change the call succeeds.
    const control = await waiting();
    await decide(control.approvalId, { decision: "approve" });
    expect((await send(control.args)).status).toBe(200);
  });

  it("may cost more by the tolerance, but not a micro-unit above it", async () => {
    await desk.enforce({ toleranceUsd: 2 });
    for (const [less, code] of [
      ["2000000", undefined],
      ["2000001", "approval_price_changed"],
    ] as const) {
      const { args, approvalId } = await waiting();
      await decide(approvalId, { decision: "approve" });
      await change(approvalId, `amount_micro = amount_micro - ${less}`);
      expect((await send(args)).body.code).toBe(code);
    }
    await desk.enforce({});
  });

  it("gets its approval back if it fails before anything is done", async () => {
    const args = transfer("900000000");
    const { approvalId } = (await send(args)).body;
    await decide(approvalId, { decision: "approve" });
    expect((await send(args)).body.code).toBe("insufficient_balance");
    expect((await ask(`/api/approvals/${String(approvalId)}`)).body.state).toBe("approved");
  });
});

describe("a call whose process stalled and seemed dead", () => {
  const readState = async (approvalId: string) => (await ask(`/api/approvals/${approvalId}`)).body.state;
  /** The call's next step after it wakes up. */
  const open = (callId: unknown) =>
    service.operator(({ spending }) => spending.transaction(({ effects }) => effects.open(String(callId))));
  /** The state in which the sweep leaves a call without effects until its approval is given back. */
  async function takenForDead(approvalId: string): Promise<unknown> {
    const [row] = await service.sql("select call_id from approval where id = $1", [approvalId]);
    await service.sql("update call set state = 'released', effect = 'none' where id = $1", [row?.call_id]);
    await expect.poll(() => readState(approvalId), { timeout: 20_000 }).toBe("approved");
    return row?.call_id;
  }
  async function approved() {
    const { args, approvalId } = await waiting();
    await decide(approvalId, { decision: "approve" });
    expect((await send(args)).status).toBe(200);
    return { args, approvalId };
  }

  it("takes its approval again when it continues, and does nothing if another call has used it or a person has revoked it", async () => {
    const [own, others, revoked] = [await approved(), await approved(), await approved()];
    const [first, second, third] = await Promise.all([own, others, revoked].map((one) => takenForDead(one.approvalId)));

    await open(first);
    expect(await readState(own.approvalId)).toBe("used");
    expect((await send(own.args)).body.code).toBe("approval_used");

    expect((await send(others.args)).status).toBe(200);
    await expect(open(second)).rejects.toMatchObject({ code: "approval_used" });
    await decide(revoked.approvalId, { decision: "revoke" });
    await expect(open(third)).rejects.toMatchObject({ code: "approval_revoked" });
    // Neither call has an open effect.
    const effects = await service.sql("select effect from call where id = any ($1)", [[second, third]]);
    expect(effects).toEqual([{ effect: "none" }, { effect: "none" }]);
  });

  it("keeps its approval if it continues while the approval is being given back", async () => {
    const { approvalId } = await approved();
    const [row] = await service.sql("select call_id from approval where id = $1", [approvalId]);
    const callId = String(row?.call_id);
    await service.operator(async ({ spending }) => {
      let givingBack = Promise.resolve();
      await spending.transaction(async ({ effects }) => {
        // Only this transaction knows that the call continues.
        await service.sql("update call set state = 'released', effect = 'none' where id = $1", [callId]);
        await effects.open(callId);
        givingBack = spending.approvals.settle(callId);
        const isWaiting = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%update approval set%'`;
        const done = givingBack.then(() => "done");
        await expect
          .poll(async () => Promise.race([done, service.sql(isWaiting)]), { timeout: 20_000 })
          .not.toEqual([]);
      });
      await givingBack;
    });
    expect(await readState(approvalId)).toBe("used");
  });

  it("and a concurrent identical call: only one of them succeeds", async () => {
    const { args, approvalId } = await approved();
    const callId = await takenForDead(approvalId);
    const [woken, sent] = await Promise.all([
      open(callId).then(
        () => true,
        () => false,
      ),
      send(args),
    ]);
    expect([woken, sent.status === 200].toSorted()).toEqual([false, true]);
  });
});

describe("an approval for an offer that the airline has taken back meanwhile", () => {
  it("books nothing, and stays unused", async () => {
    const offerId = await desk.anOffer(85);
    const book = () => service.call("book_flight", { offerId });
    const { approvalId } = (await book()).body;
    await decide(approvalId, { decision: "approve" });
    const armed = await fetch(`${service.supplierUrl}/_sandbox/scenarios`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ match: { path: "/air/orders", method: "POST" }, fault: "offer_expired", times: 1 }),
    });
    expect(armed.ok).toBe(true);
    expect((await book()).body.code).toBe("offer_expired");
    const state = async () => (await ask(`/api/approvals/${String(approvalId)}`)).body.state;
    expect(await state()).toBe("approved");
    const paid = await service.sql(
      "select id from booking where tenant_id = $1 and offer_id = $2 and state = 'booked'",
      [service.tenantId, offerId],
    );
    expect(paid).toEqual([]);
  });
});

describe("a decision", () => {
  it("is one of 50 concurrent ones, and the others learn which", async () => {
    const { approvalId } = await waiting();
    const second = await desk.newPerson("Boss", "admin");
    const link = new URL(await desk.findLink(approvalId, approver));
    const byLink = (decision: string) =>
      service.send(`/api/approval-links/${approvalId}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ personId: approver.id, linkSecret: link.hash.slice(1), decision, reason: "Together." }),
      });
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, at) => {
        const decision = at % 2 ? "approve" : "reject";
        return at % 3 === 0
          ? byLink(decision)
          : decide(approvalId, { decision }, at % 3 === 1 ? approver.key : second.key);
      }),
    );
    const [won, ...others] = answers.toSorted((a, b) => a.status - b.status);
    expect(won?.status).toBe(200);
    expect([approver.id, second.id]).toContain(others[0]?.body.decidedBy);
    for (const { status, body } of others) {
      expect([status, body]).toMatchObject([
        409,
        { code: "conflict", state: won?.body.state, decidedBy: others[0]?.body.decidedBy },
      ]);
    }
  });

  it("by an internal token names the person who decided, and is in the audit log under that name", async () => {
    const token = await newToken();
    const { args, approvalId } = await waiting();
    const approve = { decision: "approve", reason: "By telephone." };
    const unnamed = await decide(approvalId, approve, token);
    expect(unnamed.body).toMatchObject({ code: "invalid_input", issues: [{ path: "approvedBy" }] });
    const named = { ...approve, approvedBy: "Ada Approver" };
    expect((await decide(approvalId, named)).body).toMatchObject({ issues: [{ path: "approvedBy" }] });
    const decided = await decide(approvalId, named, token);
    const decidedBy = expect.stringMatching(/^svc:key_.* for Ada Approver$/);
    expect([decided.status, decided.body]).toMatchObject([200, { state: "approved", decidedBy }]);
    const audited = "select actor, details from audit_log where subject_id = $1 and action = 'approval.decide'";
    expect(await service.sql(audited, [approvalId])).toMatchObject([
      {
        actor: decided.body.decidedBy,
        details: { to: "approved", with: "token", reason: "By telephone.", evidence: {} },
      },
    ]);
    expect((await decide(approvalId, named, token)).body).toMatchObject({ code: "conflict" });
    expect((await send(args)).status).toBe(200);
  });

  it("is refused for the requester, an agent, another role or tenant, and a former member", async () => {
    const { approvalId } = await waiting();
    const approve = { decision: "approve" };
    const byAgent = await decide(approvalId, approve, service.apiKey);
    expect(byAgent.body).toMatchObject({ code: "missing_scope", scope: "approvals:decide" });
    for (const scope of personalScopes) {
      const minted = service.operator((operator) =>
        operator.mintKey({ tenantId: service.tenantId, environment: "sandbox", scopes: ["*", scope], actor: "test" }),
      );
      await expect(minted, scope).rejects.toMatchObject({ code: "invalid_input" });
    }
    const finance = await desk.newPerson("Fin", "finance");
    expect((await decide(approvalId, approve, finance.key)).body.code).toBe("may_not_decide");
    expect((await ask("/api/approvals", undefined, finance.key)).body.approvals).toEqual([]);

    const both = await desk.newPerson("Both", "booker,approver");
    const own = transfer();
    const asked = await service.call("send_tokens", own, { key: both.key });
    expect(asked.body.code).toBe("approval_required");
    expect((await decide(asked.body.approvalId, approve, both.key)).body.code).toBe("may_not_decide");
    expect((await decide(approvalId, approve, both.key)).status).toBe(200);
    expect((await decide(asked.body.approvalId, approve)).body).toMatchObject({
      state: "approved",
      requestedBy: both.id,
    });
    expect((await service.call("send_tokens", own, { key: both.key })).status).toBe(200);

    const left = await desk.newPerson("Left", "approver");
    await user("remove", left.id);
    expect((await decide((await waiting()).approvalId, approve, left.key)).status).toBe(401);
  });
});

describe("npm run user", () => {
  it("lets an admin's key change rules, but not an approver's; npm run key mints a person's key by name", async () => {
    const admin = await desk.newPerson("Root", "admin");
    const other = await desk.newPerson("Plain", "approver,booker");
    const enforce = (key: string) => ask("/api/policy-enforcement", { policyId: null }, key, "PUT");
    expect((await enforce(admin.key)).status).toBe(200);
    expect((await enforce(other.key)).body).toMatchObject({ code: "missing_scope", scope: "policy:administer" });
    let out = "";
    const code = await runProgram(
      keyProgram,
      ["mint", "--tenant", service.tenantId, "--person", other.id, "--scopes", "*,policy:administer", "--json"],
      { out: (text) => (out += text), error: (text) => (out += text) },
      (work) => service.operator(work),
    );
    expect(code, out).toBe(0);
    expect((await enforce(z.object({ apiKey: z.string() }).parse(JSON.parse(out)).apiKey)).status).toBe(200);
    await desk.enforce({ role: "approver" });
  });

  it("changes roles with immediate effect, lists members, and keeps environments apart", async () => {
    const turn = await desk.newPerson("Turn", "traveler,approver");
    const { approvalId } = await waiting();
    await user("roles", turn.id, "--roles", "traveler,finance");
    expect((await decide(approvalId, { decision: "approve" }, turn.key)).body.code).toBe("may_not_decide");
    await user("roles", turn.id, "--roles", "approver");
    expect((await decide(approvalId, { decision: "approve" }, turn.key)).status).toBe(200);
    const People = z.object({ persons: z.array(z.looseObject({ id: z.string() })) });
    const found = async (...args: string[]) =>
      People.parse(await user("list", ...args)).persons.find(({ id }) => id === turn.id);
    expect(await found()).toMatchObject({ name: "Turn", email: "turn@example.com", roles: ["approver"] });
    expect(await found("--environment", "production")).toBeUndefined();
    const complaints = await Promise.all([
      desk.refused("roles", turn.id, "--roles", "king"),
      desk.refused("roles", "user_nobody", "--roles", "approver"),
      desk.refused("add", "--name", "Twin", "--email", "turn@example.com", "--roles", "approver"),
    ]);
    expect(complaints).toEqual([
      expect.stringContaining("--roles must be one or more of"),
      expect.stringContaining("user_nobody"),
      expect.stringContaining("turn@example.com"),
    ]);
    await user("remove", turn.id);
    expect(await found()).toBeUndefined();
  });
});
