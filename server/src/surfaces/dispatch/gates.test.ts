import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createBuyer } from "../../../test/support/paid.ts";
import { createProbes } from "../../../test/support/probe-tools.ts";
import { startTestService, type TestService } from "../../../test/support/service.ts";
import { Failure } from "../../domain/errors.ts";
import type { PendingCall } from "../../kernel/contracts/charge.ts";
import { defineGate } from "../../kernel/contracts/gate.ts";
import type { Tool } from "../../kernel/contracts/tool.ts";
import type { Aggregates } from "../../kernel/contracts/whole.ts";

/**
 * Gates of modules, on both surfaces that charge: a refusal leaves nothing behind, and reservations are stored with the call.
 */

const probes = createProbes();
const openWrite = probes.tools
  .filter(({ name }) => name === "probe_write")
  .map((tool): Tool => ({ ...tool, name: "probe_open_write", payableWithoutKey: true }));

/** The call's text determines its outcome. */
const callText = ({ args }: PendingCall): string => String(Reflect.get(Object(args), "text"));
const asked: string[] = [];
const usedUp = new Set<string>();
let used = 0;

const first = defineGate({
  name: "first",
  check(call) {
    asked.push(`first ${callText(call)}`);
    if (usedUp.has(callText(call))) throw new Failure("conflict", { detail: "It is used up." });
    if (callText(call) === "refused at once") throw new Failure("conflict", { detail: "The first gate is shut." });
  },
});

const second = defineGate({
  name: "second",
  async check(call) {
    asked.push(`second ${callText(call)}`);
  },
  async reserve(call, _plan, { pricingPolicies }: Aggregates) {
    used += 1;
    const policy = {
      floor: 0n,
      ceiling: undefined,
      serviceTakeBehavior: "add_to_customer",
      activatedBy: "gate",
    } as const;
    await pricingPolicies.activate(call.tenantId, call.environment, { ...policy, markupBps: used });
    if (callText(call).startsWith("once")) usedUp.add(callText(call));
    if (callText(call).startsWith("refused late")) throw new Failure("conflict", { detail: "Nothing is left." });
  },
});

let service: TestService;
beforeAll(async () => {
  service = await startTestService(
    {},
    { extraTools: [...probes.tools, ...openWrite], decorate: { gates: (gates) => [...gates, first, second] } },
  );
});
afterAll(() => service?.[Symbol.asyncDispose]());

async function books(tenantId = service.tenantId) {
  const [row] = await service.sql(
    `select (select count(*) from call where tenant_id = $1)::int as calls,
       (select count(*) from idempotency where tenant_id = $1)::int as keys,
       (select coalesce(sum(spent_micro), 0) from tenant_spend where tenant_id = $1)::text as spent,
       (select count(*) from usage_record where tenant_id = $1)::int as records,
       (select count(*) from payment)::int as payments,
       (select count(*) from pricing_policy where activated_by = 'gate')::int as used`,
    [tenantId],
  );
  return row;
}

describe("a call that a gate refuses", () => {
  it.each(["probe_read", "probe_write"])(
    "%s does not run and costs nothing, and no later gate is asked",
    async (tool) => {
      const before = await books();
      asked.length = 0;
      const answer = await service.call(tool, { text: "refused at once" });
      expect(answer.status).toBe(409);
      expect(answer.body).toMatchObject({ code: "conflict", detail: "The first gate is shut." });
      expect(probes.runs("refused at once")).toBe(0);
      expect(asked).toEqual(["first refused at once"]);
      expect(await books()).toEqual(before);
    },
  );

  it("is not asked before its arguments are valid", async () => {
    asked.length = 0;
    expect((await service.call("probe_write", { text: 7 })).body.code).toBe("invalid_input");
    expect(asked).toEqual([]);
  });

  it("after its reservation keeps neither that nor its idempotency key", async () => {
    const before = await books();
    const headers = { "idempotency-key": "gate" };
    for (const text of ["refused late", "refused late again"]) {
      const answer = await service.call("probe_write", { text }, { headers });
      // Another text would be a mismatch if the key were still held.
      expect([answer.status, answer.body.code], text).toEqual([409, "conflict"]);
      expect(probes.runs(text)).toBe(0);
    }
    expect(await books()).toEqual(before);
  });

  it("on the paid surface leaves its authorization usable", async () => {
    const buyer = createBuyer(service);
    const signature = await buyer.sign("probe_open_write");
    const pay = (text: string) => buyer.post("probe_open_write", { text }, { "payment-signature": signature });
    const before = await books(`payer:${buyer.address.toLowerCase()}`);
    for (const text of ["refused at once", "refused late"]) {
      expect((await pay(text)).body.code).toBe("conflict");
      expect(await books(`payer:${buyer.address.toLowerCase()}`)).toEqual(before);
    }
    const answer = await pay("paid");
    expect(answer.status, answer.text).toBe(200);
    const after = await books(`payer:${buyer.address.toLowerCase()}`);
    expect(after).toMatchObject({ calls: 1, payments: Number(before?.payments) + 1, used: Number(before?.used) + 1 });
  });
});

describe("a gate's reservation", () => {
  it.each([{}, { headers: { "idempotency-key": "used" } }])("is stored with the call: %j", async (options) => {
    const before = await books();
    const text = `used ${Object.keys(options).length}`;
    expect((await service.call("probe_write", { text }, options)).status).toBe(200);
    expect(probes.runs(text)).toBe(1);
    const after = await books();
    expect(after).toMatchObject({ calls: Number(before?.calls) + 1, used: Number(before?.used) + 1 });
    expect(Number(after?.spent) - Number(before?.spent)).toBe(5_000);
  });

  it("does not prevent a repeated call from getting its answer", async () => {
    const headers = { "idempotency-key": "once" };
    const answer = await service.call("probe_write", { text: "once" }, { headers });
    const again = await service.call("probe_write", { text: "once" }, { headers });
    expect([again.status, again.body.result]).toEqual([200, answer.body.result]);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(probes.runs("once")).toBe(1);
    // Another call finds it used up, and another request's key does not bypass that.
    expect((await service.call("probe_write", { text: "once" })).body.detail).toBe("It is used up.");
    const other = { headers: { "idempotency-key": "another" } };
    expect((await service.call("probe_write", { text: "once" }, other)).body.detail).toBe("It is used up.");
    const mismatch = await service.call("probe_write", { text: "refused at once" }, { headers });
    expect([mismatch.status, mismatch.body.code]).toEqual([422, "idempotency_mismatch"]);
    expect(probes.runs("once")).toBe(1);

    const buyer = createBuyer(service);
    const signature = await buyer.sign("probe_open_write");
    const pay = () => buyer.post("probe_open_write", { text: "once paid" }, { "payment-signature": signature });
    const paid = await pay();
    expect((await pay()).body).toEqual({ ...paid.body, replayed: true });
    expect(probes.runs("once paid")).toBe(1);
  });

  it("is not used up by a read, nor by a call over the cap", async () => {
    const { tenant, apiKey: key } = await service.operator((identity) =>
      identity.createTenant({ name: "Capped", monthlyCapMicroUsdc: 4_999n, actor: "test" }),
    );
    const caller = { tenantId: tenant.id, key };
    const before = await books(tenant.id);
    expect((await service.call("probe_read", { text: "a read" }, caller)).status).toBe(200);
    const refused = await service.call(
      "probe_write",
      { text: "over" },
      { ...caller, headers: { "idempotency-key": "o" } },
    );
    expect([refused.status, refused.body.code]).toEqual([402, "spend_cap_exceeded"]);
    expect(probes.runs("over")).toBe(0);
    const after = await books(tenant.id);
    expect(after).toEqual({ ...before, records: 1, spent: "500" });
  });
});
