import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { sendMcp } from "../../../test/support/mcp.ts";
import { type CallOptions, isSignedBy, type TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { requireResult } from "../../../test/support/treasury.ts";

let service: TestService;
beforeAll(async () => {
  service = await openSharedService();
});
afterAll(() => service?.[Symbol.asyncDispose]());

/** A tenant that has activated nothing. */
async function newTenant(name: string): Promise<{ key: string; tenantId: string }> {
  const { tenant, apiKey } = await service.operator((identity) => identity.createTenant({ name, actor: "test" }));
  return { key: apiKey, tenantId: tenant.id };
}

/** A user of the tenant: anyone with a profile. */
async function addUser(userId: string, { key }: { key: string }): Promise<string> {
  const { status } = await service.send(`/api/travelers/${userId}`, {
    method: "PUT",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: "{}",
  });
  expect(status).toBe(201);
  return userId;
}

const get = async (as: CallOptions) => requireResult(await service.call("get_tenant_pricing_policy", {}, as));
const activate = (args: unknown, as: CallOptions) => service.call("activate_tenant_pricing_policy", args, as);
const Version = z.object({ version: z.number() });
const bps = (value: number) => ({ strategy: "static", bps: value });

const nothingActivated = {
  version: 0,
  markupConfig: bps(0),
  floorMicroUsdc: "0",
  ceilingMicroUsdc: null,
  serviceTakeBehavior: "add_to_customer",
  activatedAt: null,
  activatedBy: null,
  isDefault: true,
  sandbox: true,
  versions: [],
};

describe("a preview of a policy", () => {
  const CAPPED = { markupConfig: bps(300), ceilingMicroUsdc: "25000000" };
  const preview = async (args: object, as: CallOptions) => requireResult(await service.call("preview_price", args, as));

  it("shows what 3 % with a cap of 25 makes of 200 and of 2,000, and activates nothing", async () => {
    const as = await newTenant("Tries");
    expect(await preview({ costMicroUsdc: "200000000", policy: CAPPED }, as)).toEqual({
      accepted: true,
      problem: null,
      policyVersion: null,
      sandbox: true,
      price: {
        costUsdc: "200.00",
        markupUsdc: "6.00",
        serviceTakeUsdc: "2.00",
        totalUsdc: "208.00",
        vendorGetsUsdc: "200.00",
        youGetUsdc: "6.00",
        isOverCeiling: false,
      },
    });
    expect(await preview({ costMicroUsdc: "2000000000", policy: CAPPED }, as)).toMatchObject({
      accepted: false,
      problem: { code: "ceiling_exceeded" },
      price: { markupUsdc: "60.00", totalUsdc: "2080.00", isOverCeiling: true },
    });
    const within = { costMicroUsdc: "2000000000", policy: CAPPED, markupMicroUsdc: "25000000" };
    expect(await preview(within, as)).toMatchObject({ accepted: true, price: { totalUsdc: "2045.00" } });
    const deducted = { ...CAPPED, markupConfig: bps(50), serviceTakeBehavior: "deduct_from_markup" };
    expect(await preview({ costMicroUsdc: "200000000", policy: deducted }, as)).toMatchObject({
      accepted: false,
      problem: { code: "markup_below_service_take" },
      price: null,
    });
    expect(await get(as)).toEqual(nothingActivated);
  });

  it("uses the active policy by default, and refuses what activating refuses", async () => {
    const as = await newTenant("Active");
    await activate(CAPPED, as);
    expect(await preview({ costMicroUsdc: "200000000" }, as)).toMatchObject({
      accepted: true,
      policyVersion: 1,
      price: { totalUsdc: "208.00" },
    });
    const odd = { ...CAPPED, floorMicroUsdc: "26000000" };
    const { body } = await service.call("preview_price", { costMicroUsdc: "1", policy: odd }, as);
    expect(body).toMatchObject({ code: "invalid_input", issues: [{ path: "policy.ceilingMicroUsdc" }] });
  });
});

describe("a pricing policy", () => {
  it("has the defaults, and says so, until one is activated", async () => {
    const as = await newTenant("Defaults");
    const answer = await service.call("get_tenant_pricing_policy", {}, as);
    expect(requireResult(answer)).toEqual(nothingActivated);
    expect(answer.body.priceMicroUsdc).toBe("500");
  });

  it("is active with all its parts once it is activated, and older versions are kept", async () => {
    const as = await newTenant("Versions");
    const first = { markupConfig: bps(500), floorMicroUsdc: "2000000", ceilingMicroUsdc: "30000000" };
    const answer = await activate({ ...first, serviceTakeBehavior: "deduct_from_markup" }, as);
    const shown = {
      ...first,
      version: 1,
      serviceTakeBehavior: "deduct_from_markup",
      activatedAt: expect.stringMatching(/^20.*Z$/),
      activatedBy: expect.stringMatching(/^svc:/),
    };
    expect(requireResult(answer)).toEqual({
      ...shown,
      sandbox: true,
      previous: expect.objectContaining({ version: 0 }),
    });
    expect(answer.body.priceMicroUsdc).toBe("5000");
    expect(await get(as)).toEqual({ ...shown, isDefault: false, sandbox: true, versions: [shown] });

    // Omitted fields are reset to their defaults.
    await activate({ markupConfig: bps(250) }, { ...as, userId: await addUser("user_pricing", as) });
    const { versions, ...now } = await get(as);
    const { versions: _none, ...defaults } = nothingActivated;
    expect(now).toEqual({
      ...defaults,
      version: 2,
      markupConfig: bps(250),
      activatedAt: expect.any(String),
      activatedBy: "user_pricing",
      isDefault: false,
    });
    expect(versions).toMatchObject([{ version: 2 }, shown]);
  });

  it("is the same over MCP", async () => {
    const as = await newTenant("MCP");
    const args = { markupConfig: bps(700), ceilingMicroUsdc: null };
    const activated = await sendMcp(
      service,
      "tools/call",
      { name: "activate_tenant_pricing_policy", arguments: args },
      { key: as.key },
    );
    expect(activated.body.result).toMatchObject({ structuredContent: { version: 1, ...args } });
    const params = { name: "get_tenant_pricing_policy", arguments: {} };
    const got = await sendMcp(service, "tools/call", params, { key: as.key });
    expect(got.body.result).toMatchObject({ structuredContent: await get(as) });
  });

  it("keeps its version when nothing changes", async () => {
    const as = await newTenant("Same");
    // Defaults that are activated explicitly are a version.
    for (let time = 0; time < 2; time += 1) {
      expect(requireResult(await activate({ markupConfig: bps(0) }, as))).toMatchObject({ version: 1 });
    }
    for (const [floorMicroUsdc, version] of [
      ["1", 2],
      ["0", 3],
      ["1", 4],
      ["1", 4],
    ] as const) {
      expect(requireResult(await activate({ markupConfig: bps(0), floorMicroUsdc }, as))).toMatchObject({ version });
    }
  });

  it("is hidden from other tenants", async () => {
    const [one, other] = [await newTenant("One"), await newTenant("Other")];
    await activate({ markupConfig: bps(100) }, one);
    expect(await get(other)).toEqual(nothingActivated);
    await activate({ markupConfig: bps(9_999) }, other);
    expect(await get(one)).toMatchObject({ version: 1, markupConfig: bps(100), versions: [{ version: 1 }] });
    const foreign = await activate({ markupConfig: bps(1) }, { ...one, tenantId: other.tenantId });
    expect([foreign.status, foreign.body.code]).toEqual([404, "tenant_not_found"]);
    expect(await get(other)).toMatchObject({ version: 1, markupConfig: bps(9_999) });
  });

  it("activated by 16 calls at once has 16 consecutive versions, each matching one of the calls", async () => {
    const as = await newTenant("Sixteen");
    const wanted = Array.from({ length: 16 }, (_, index) => index + 1);
    const answers = await Promise.all(wanted.map((value) => activate({ markupConfig: bps(value) }, as)));
    const versions = answers.map((answer) => Version.parse(requireResult(answer)).version);
    expect(versions.toSorted((one, other) => one - other)).toEqual(wanted);
    const given = answers.map((answer) => requireResult(answer)).toSorted((one, other) => order(other) - order(one));
    const { versions: kept, ...active } = z.looseObject({ versions: z.array(z.unknown()) }).parse(await get(as));
    expect(kept).toEqual(given.map(({ sandbox: _sandbox, previous: _previous, ...policy }) => policy));
    expect(active).toMatchObject({ version: 16 });
  });

  it("activated by 16 equal calls at once is one version", async () => {
    const as = await newTenant("Equal");
    const answers = await Promise.all(Array.from({ length: 16 }, () => activate({ markupConfig: bps(42) }, as)));
    expect(answers.map((answer) => Version.parse(requireResult(answer)).version)).toEqual(Array(16).fill(1));
    expect(await get(as)).toMatchObject({ version: 1, versions: [{ version: 1 }] });
  });

  it("shows the latest 20 versions", async () => {
    const as = await newTenant("Many");
    for (let value = 1; value <= 21; value += 1) await activate({ markupConfig: bps(value) }, as);
    const { versions } = z.object({ versions: z.array(Version) }).parse(await get(as));
    expect(versions.map(({ version }) => version)).toEqual(Array.from({ length: 20 }, (_, index) => 21 - index));
  });

  it("leaves an audit line for every version, and for nothing else", async () => {
    const as = await newTenant("Audit");
    const userId = await addUser("user_auditor", as);
    await activate({ markupConfig: bps(300), floorMicroUsdc: "10" }, { ...as, userId });
    await activate({ markupConfig: bps(300), floorMicroUsdc: "10" }, as);
    await activate({ markupConfig: bps(300), floorMicroUsdc: "11" }, { ...as, userId });
    const rows = await service.sql(
      "select actor, action, subject_id, details from audit_log where tenant_id = $1 and action like 'pricing%' order by id",
      [as.tenantId],
    );
    const line = (before: object, after: object, version: number) => ({
      actor: "user_auditor",
      action: "pricing_policy.activate",
      subject_id: `sandbox:${version}`,
      details: { before: expect.objectContaining(before), after: expect.objectContaining(after) },
    });
    expect(rows).toEqual([
      line({ version: 0, markupBps: 0 }, { version: 1, markupBps: 300, floorMicroUsdc: "10" }, 1),
      line({ version: 1, floorMicroUsdc: "10" }, { version: 2, floorMicroUsdc: "11" }, 2),
    ]);
  });

  it("accepts a floor up to the ceiling", async () => {
    const as = await newTenant("Edges");
    const most = "9223372036854775807";
    const equal = { markupConfig: bps(10_000), floorMicroUsdc: most, ceilingMicroUsdc: most };
    expect(requireResult(await activate(equal, as))).toMatchObject(equal);
    const none = { markupConfig: bps(0), floorMicroUsdc: "0", ceilingMicroUsdc: "0" };
    expect(requireResult(await activate(none, as))).toMatchObject({ ...none, version: 2 });
  });

  it.each([
    [{ floorMicroUsdc: "2", ceilingMicroUsdc: "1" }, "ceilingMicroUsdc", "which is 2"],
    [{ floorMicroUsdc: "10", ceilingMicroUsdc: "9" }, "ceilingMicroUsdc", "floorMicroUsdc"],
    [{ floorMicroUsdc: "-1" }, "floorMicroUsdc", "micro-USDC"],
    [{ floorMicroUsdc: "1.5" }, "floorMicroUsdc", "micro-USDC"],
    [{ floorMicroUsdc: "01" }, "floorMicroUsdc", "micro-USDC"],
    [{ floorMicroUsdc: "9223372036854775808" }, "floorMicroUsdc", "micro-USDC"],
    [{ floorMicroUsdc: null }, "floorMicroUsdc", ""],
    [{ ceilingMicroUsdc: "" }, "ceilingMicroUsdc", ""],
    [{ ceilingMicroUsdc: 5 }, "ceilingMicroUsdc", ""],
    [{ serviceTakeBehavior: "none" }, "serviceTakeBehavior", ""],
    [{ markupConfig: bps(10_001) }, "markupConfig.bps", ""],
    [{ markupConfig: bps(-1) }, "markupConfig.bps", ""],
    [{ markupConfig: bps(1.5) }, "markupConfig.bps", ""],
    [{ markupConfig: { strategy: "dynamic", bps: 1 } }, "markupConfig.strategy", ""],
    [{ markupConfig: { ...bps(1), slope: 2 } }, "markupConfig.slope", "unknown"],
    [{ markupConfig: undefined }, "markupConfig", ""],
  ])("is refused with %j", async (part, path, message) => {
    const answer = await activate({ markupConfig: bps(1), ...part }, {});
    expect([answer.status, answer.body.code]).toEqual([400, "invalid_input"]);
    const [issue] = z.array(z.object({ path: z.string(), message: z.string() })).parse(answer.body.issues);
    expect(issue?.path).toContain(path);
    expect(issue?.message).toContain(message);
    expect(isSignedBy(answer, service.signingSecret)).toBe(true);
  });

  it("is not changed by refused requests, nor by a key that may only read", async () => {
    const as = await newTenant("Reader");
    const { apiKey } = await service.operator((identity) =>
      identity.mintKey({ tenantId: as.tenantId, environment: "sandbox", scopes: ["policy:read"], actor: "test" }),
    );
    const refused = await activate({ markupConfig: bps(1) }, { ...as, key: apiKey });
    expect([refused.status, refused.body.code, refused.body.scope]).toEqual([403, "missing_scope", "policy:write"]);
    expect(await get({ ...as, key: apiKey })).toEqual(nothingActivated);
  });
});

const order = (policy: unknown): number => Version.parse(policy).version;
