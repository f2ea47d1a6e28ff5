import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openTestIdentities, type TestIdentities } from "../../../test/support/identity.ts";
import { defaultScopes } from "../../domain/scopes.ts";

const cached = { fresh: false };
const fresh = { fresh: true };

describe("keys and tenants", () => {
  let setup: TestIdentities;
  beforeAll(async () => {
    setup = await openTestIdentities();
  });
  afterAll(() => setup.close());

  test("a new tenant has a sandbox key that identifies it", async () => {
    const identity = setup.open();
    const { tenant, apiKey, key } = await identity.createTenant({ name: " Acme ", plan: "pro", actor: "test" });
    expect(tenant).toMatchObject({ name: "Acme", plan: "pro", monthlyCapMicroUsdc: 100_000_000n, isDemo: false });
    expect(tenant.id).toMatch(/^tenant_[0-9A-Z]{26}$/);
    expect(apiKey).toMatch(/^ak_[0-9A-Za-z]{40}$/);
    expect(apiKey.startsWith(key.start)).toBe(true);
    const principal = await identity.authenticate(apiKey, cached);
    expect(principal).toMatchObject({
      keyId: key.id,
      tenantId: tenant.id,
      serviceAccountId: `svc:${key.id}`,
      scopes: ["*"],
      environment: "sandbox",
      plan: "pro",
      defaultTravelerId: undefined,
    });
    expect(await identity.getTenant(tenant.id)).toEqual(tenant);
    expect(await identity.listKeys(tenant.id)).toEqual([key]);
    expect((await identity.listTenants()).map(({ id }) => id)).toContain(tenant.id);
  });

  test("a malformed or unknown key identifies nobody", async () => {
    const identity = setup.open();
    const { apiKey } = await identity.createTenant({ name: "Near", actor: "test" });
    const others = ["", "ak_", "x".repeat(43), `${apiKey} `, apiKey.slice(0, -1), `${apiKey}0`, `ak_${"0".repeat(40)}`];
    others.push(apiKey.toUpperCase(), `${apiKey.slice(0, -1)}${apiKey.endsWith("a") ? "b" : "a"}`, `${apiKey}\0`);
    for (const key of others) {
      expect(await identity.authenticate(key, cached)).toBeUndefined();
      expect(await identity.authenticate(key, fresh)).toBeUndefined();
    }
  });

  test("the tenant, its key and the hook's changes exist together or not at all", async () => {
    const seen: string[] = [];
    const identity = setup.open({
      async onTenantCreated(transaction, tenant) {
        const row = await transaction.selectFrom("tenant").select("id").where("id", "=", tenant.id).executeTakeFirst();
        seen.push(row?.id ?? "missing");
        if (tenant.name === "Broken") throw new Error("no ledger account");
      },
    });
    const { tenant } = await identity.createTenant({ name: "Whole", actor: "test" });
    expect(seen).toEqual([tenant.id]);
    await expect(identity.createTenant({ name: "Broken", actor: "test" })).rejects.toThrow("no ledger account");
    expect((await identity.listTenants()).filter(({ name }) => name === "Broken")).toEqual([]);
    const keys = await setup.db
      .selectFrom("apiKey")
      .select("id")
      .where("tenantId", "=", seen[1] ?? "")
      .execute();
    expect(keys).toEqual([]);
  });

  test("production keys get the reads and reputation:write, but no traveler profiles", async () => {
    const identity = setup.open({ networkMode: "production" });
    const { tenant } = await identity.createTenant({ name: "Live", actor: "test" });
    const minted = await identity.mintKey({ tenantId: tenant.id, environment: "production", actor: "test" });
    const principal = await identity.authenticate(minted.apiKey, cached);
    expect(principal?.environment).toBe("production");
    expect(principal?.scopes).toEqual(defaultScopes("production"));
    expect(minted.key.name).toBe("production");
    // The same key if the whole deployment is a sandbox.
    expect((await setup.open().authenticate(minted.apiKey, cached))?.environment).toBe("sandbox");
  });

  test("minting refuses unknown scopes, empty scopes, past expiry, long names and unknown tenants", async () => {
    const identity = setup.open();
    const { tenant } = await identity.createTenant({ name: "Strict", actor: "test" });
    const mint = (change: object) =>
      identity.mintKey({ tenantId: tenant.id, environment: "sandbox", actor: "test", ...change });
    const unknown = expect(mint({ scopes: ["flights:read", "flights:raed"] })).rejects;
    await unknown.toThrow(/unknown scope "flights:raed"\. Known scopes: .*flights:read/);
    await expect(mint({ scopes: [] })).rejects.toMatchObject({ code: "invalid_input" });
    await expect(mint({ expiresAt: setup.clock.now() })).rejects.toMatchObject({ code: "invalid_input" });
    await expect(mint({ name: "x".repeat(101) })).rejects.toMatchObject({ code: "invalid_input" });
    await expect(mint({ name: "two\nlines" })).rejects.toMatchObject({ code: "invalid_input" });
    await expect(mint({ tenantId: "tenant_none" })).rejects.toMatchObject({ code: "tenant_not_found" });
    expect(await identity.listKeys(tenant.id)).toHaveLength(1);
  });

  test("the demo tenant's keys act for user_demo, and are refused in production", async () => {
    const identity = setup.open();
    const { apiKey, tenant } = await identity.createTenant({ name: "Demo", isDemo: true, actor: "test" });
    expect((await identity.authenticate(apiKey, cached))?.defaultTravelerId).toBe("user_demo");
    const production = setup.open({ networkMode: "production" });
    expect(await production.authenticate(apiKey, cached)).toBeUndefined();
    expect(await production.authenticate(apiKey, fresh)).toBeUndefined();
    const second = await identity.mintKey({ tenantId: tenant.id, environment: "production", actor: "test" });
    expect(await production.authenticate(second.apiKey, fresh)).toBeUndefined();
    // There is one demo tenant, even if processes start together.
    await expect(identity.createTenant({ name: "Demo 2", isDemo: true, actor: "test" })).rejects.toThrow();
  });

  test("a user is one of the tenant's; a service account needs a key in force", async () => {
    const identity = setup.open();
    const mine = await identity.createTenant({ name: "Mine", actor: "test" });
    const theirs = await identity.createTenant({ name: "Theirs", actor: "test" });
    const now = setup.clock.now().toString();
    await setup.db
      .insertInto("appUser")
      .values({ tenantId: mine.tenant.id, environment: "sandbox", id: "ann", createdAt: now })
      .execute();
    const isMine = (userId: string) => identity.isUser(mine.tenant.id, userId, "sandbox");
    expect(await isMine("ann")).toBe(true);
    expect(await identity.isUser(theirs.tenant.id, "ann", "sandbox")).toBe(false);
    expect(await isMine(`svc:${mine.key.id}`)).toBe(true);
    expect(await isMine(`svc:${theirs.key.id}`)).toBe(false);
    expect(await isMine("svc:")).toBe(false);
    expect(await isMine("")).toBe(false);
    expect(await isMine("a".repeat(129))).toBe(false);
    expect(await isMine("ann\0")).toBe(false);
    await identity.revokeKey(mine.tenant.id, mine.key.id, "test");
    expect(await isMine(`svc:${mine.key.id}`)).toBe(false);
  });

  test("a key is revoked by its own tenant only, and a second time has no effect", async () => {
    const identity = setup.open();
    const mine = await identity.createTenant({ name: "Owner", actor: "test" });
    const theirs = await identity.createTenant({ name: "Stranger", actor: "test" });
    expect(await identity.revokeKey(theirs.tenant.id, mine.key.id, "test")).toBe(false);
    expect(await identity.authenticate(mine.apiKey, fresh)).toBeDefined();
    expect(await identity.revokeKey(mine.tenant.id, mine.key.id, "test")).toBe(true);
    const [revoked] = await identity.listKeys(mine.tenant.id);
    setup.clock.advance({ minutes: 1 });
    expect(await identity.revokeKey(mine.tenant.id, mine.key.id, "test")).toBe(true);
    expect(await identity.listKeys(mine.tenant.id)).toEqual([revoked]);
    const lines = await setup.db.selectFrom("auditLog").select("id").where("action", "=", "key.revoke");
    expect(await lines.where("subjectId", "=", mine.key.id).execute()).toHaveLength(1);
  });

  test("the signing secret is shown once; a rotated one replaces it for the tenant's keys", async () => {
    const identity = setup.open();
    await identity.ready();
    const { tenant, apiKey } = await identity.createTenant({ name: "Signed", actor: "test" });
    const first = (await identity.authenticate(apiKey, cached))?.signingSecret;
    const shown = await Promise.all([1, 2, 3].map(() => identity.revealSigningSecret(tenant.id, "test")));
    expect(shown.filter((secret) => secret !== undefined)).toEqual([first]);
    const rotated = await identity.rotateSigningSecret(tenant.id, "test");
    expect(rotated).not.toBe(first);
    expect((await identity.authenticate(apiKey, cached))?.signingSecret).toBe(rotated);
    expect(await identity.revealSigningSecret(tenant.id, "test")).toBeUndefined();
    await expect(identity.revealSigningSecret("tenant_none", "test")).rejects.toMatchObject({
      code: "tenant_not_found",
    });
    await expect(identity.rotateSigningSecret("tenant_none", "test")).rejects.toMatchObject({
      code: "tenant_not_found",
    });
  });

  test("the time of use is written in batches, and not lost at the end", async () => {
    const identity = setup.open();
    const { tenant, apiKey } = await identity.createTenant({ name: "Used", actor: "test" });
    const lastUsed = async () => (await identity.listKeys(tenant.id))[0]?.lastUsedAt?.toString();
    await identity.authenticate(apiKey, cached);
    expect(await lastUsed()).toBeUndefined();
    await identity.flush();
    const first = await lastUsed();
    expect(first).toBe(setup.clock.now().toString());
    setup.clock.advance({ seconds: 5 });
    await identity.authenticate(apiKey, cached);
    await identity.close();
    expect(await lastUsed()).toBe(setup.clock.now().toString());
  });
});
