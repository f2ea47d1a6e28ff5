import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createManualClock, openTestIdentities, type TestIdentities } from "../../../test/support/identity.ts";
import { adminUrl } from "../../../test/support/test-database.ts";
import type { Principal } from "../../ports/identity.ts";
import { createPrincipalCache } from "./principal-cache.ts";

const cached = { fresh: false };
const fresh = { fresh: true };

/** A proxy between a listener and its server that can be cut and restored. */
async function openProxy(databaseUrl: string) {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let open = true;
  const server = createServer((inner) => {
    if (!open) return void inner.destroy();
    const outer = connect(Number(target.port), target.hostname);
    for (const socket of [inner, outer]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        inner.destroy();
        outer.destroy();
        sockets.delete(socket);
      });
    }
    inner.pipe(outer).pipe(inner);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const url = new URL(databaseUrl);
  url.hostname = "127.0.0.1";
  url.port = typeof address === "object" && address !== null ? String(address.port) : "";
  return {
    url: url.href,
    cut() {
      open = false;
      for (const socket of sockets) socket.destroy();
    },
    mend() {
      open = true;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

describe("cached keys", () => {
  let setup: TestIdentities;
  const cleanUps: (() => Promise<unknown>)[] = [];
  beforeAll(async () => {
    setup = await openTestIdentities();
  });
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });
  afterAll(() => setup.close());

  test("another process's revocation is noticed; the clock is stopped, so age has no effect", async () => {
    const [here, there] = [setup.open(), setup.open()];
    await here.ready();
    const { tenant, apiKey, key } = await there.createTenant({ name: "Heard", actor: "test" });
    expect(await here.authenticate(apiKey, cached)).toBeDefined();
    expect(here.cachedKeys()).toBe(1);
    await there.revokeKey(tenant.id, key.id, "test");
    expect(await here.authenticate(apiKey, fresh)).toBeUndefined();
    await expect.poll(() => here.authenticate(apiKey, cached)).toBeUndefined();
  });

  test("a key found by its id is cached, too, until another process revokes it or a fresh read says so", async () => {
    const [here, there] = [setup.open(), setup.open()];
    await here.ready();
    const { tenant, key } = await there.createTenant({ name: "By id", actor: "test" });
    expect(await here.findPrincipal(key.id, cached)).toMatchObject({ keyId: key.id, tenantId: tenant.id });
    expect(here.cachedKeys()).toBe(1);
    await setup.db
      .updateTable("apiKey")
      .set({ scopes: ["trip:read"] })
      .where("id", "=", key.id)
      .execute();
    await expect.poll(async () => (await here.findPrincipal(key.id, cached))?.scopes).toEqual(["trip:read"]);
    await there.revokeKey(tenant.id, key.id, "test");
    expect(await here.findPrincipal(key.id, fresh)).toBeUndefined();
    await expect.poll(() => here.findPrincipal(key.id, cached)).toBeUndefined();
  });

  test("a process sees its own changes at once, notified or not", async () => {
    // Listens in another database, where nothing is ever notified.
    const identity = setup.open({ databaseUrl: adminUrl() });
    await identity.ready();
    const { tenant, apiKey, key } = await identity.createTenant({ name: "Own", actor: "test" });
    const seen = () => identity.authenticate(apiKey, cached);
    const before = await seen();
    expect(identity.cachedKeys()).toBe(1);
    await identity.setTenant(tenant.id, { plan: "pro" }, "test");
    expect((await seen())?.plan).toBe("pro");
    await identity.rotateSigningSecret(tenant.id, "test");
    expect((await seen())?.signingSecret).not.toBe(before?.signingSecret);
    await identity.revokeKey(tenant.id, key.id, "test");
    expect(await seen()).toBeUndefined();
  });

  test("changes of plan, scopes and expiry made directly in the database are noticed", async () => {
    const identity = setup.open();
    await identity.ready();
    const { tenant, apiKey, key } = await identity.createTenant({ name: "Changed", actor: "test" });
    const seen = () => identity.authenticate(apiKey, cached);
    expect((await seen())?.plan).toBe("free");
    await setup.db.updateTable("tenant").set({ plan: "enterprise" }).where("id", "=", tenant.id).execute();
    await expect.poll(async () => (await seen())?.plan).toBe("enterprise");
    const change = setup.db.updateTable("apiKey").where("id", "=", key.id);
    await change.set({ scopes: ["trip:read"] }).execute();
    await expect.poll(async () => (await seen())?.scopes).toEqual(["trip:read"]);
    await change.set({ expiresAt: setup.clock.now().toString() }).execute();
    await expect.poll(seen).toBeUndefined();
  });

  test("an unnotified change ends a cached key after 15 seconds, and at once for a fresh read", async () => {
    const identity = setup.open();
    await identity.ready();
    const { apiKey, key } = await identity.createTenant({ name: "Silent", actor: "test" });
    expect(await identity.authenticate(apiKey, cached)).toBeDefined();
    const now = setup.clock.now().toString();
    await setup.db.transaction().execute(async (transaction) => {
      // Replicas run no triggers: the row changes without a notification.
      await sql`set local session_replication_role = replica`.execute(transaction);
      await transaction.updateTable("apiKey").set({ revokedAt: now }).where("id", "=", key.id).execute();
    });
    setup.clock.advance({ milliseconds: 14_999 });
    expect(await identity.authenticate(apiKey, cached)).toBeDefined();
    setup.clock.advance({ milliseconds: 1 });
    expect(await identity.authenticate(apiKey, cached)).toBeUndefined();
  });

  test("a fresh read also removes the cached entry", async () => {
    const identity = setup.open();
    await identity.ready();
    const { apiKey, key } = await identity.createTenant({ name: "Overtaken", actor: "test" });
    expect(await identity.authenticate(apiKey, cached)).toBeDefined();
    await setup.db.transaction().execute(async (transaction) => {
      await sql`set local session_replication_role = replica`.execute(transaction);
      const now = setup.clock.now().toString();
      await transaction.updateTable("apiKey").set({ revokedAt: now }).where("id", "=", key.id).execute();
    });
    expect(await identity.authenticate(apiKey, fresh)).toBeUndefined();
    expect(await identity.authenticate(apiKey, cached)).toBeUndefined();
  });

  test("a key ends at its expiry, cached or not", async () => {
    const identity = setup.open();
    await identity.ready();
    const { tenant } = await identity.createTenant({ name: "Short", actor: "test" });
    const expiresAt = setup.clock.now().add({ seconds: 5 });
    const { apiKey } = await identity.mintKey({
      tenantId: tenant.id,
      environment: "sandbox",
      expiresAt,
      actor: "test",
    });
    setup.clock.advance({ milliseconds: 4_999 });
    expect((await identity.authenticate(apiKey, cached))?.expiresAt?.toString()).toBe(expiresAt.toString());
    expect(identity.cachedKeys()).toBe(1);
    setup.clock.advance({ milliseconds: 1 });
    expect(await identity.authenticate(apiKey, cached)).toBeUndefined();
    expect(await identity.authenticate(apiKey, fresh)).toBeUndefined();
  });

  test("nothing is cached while changes are not notified; afterwards it is again", async () => {
    const proxy = await openProxy(setup.url);
    cleanUps.push(proxy.close);
    const there = setup.open();
    const here = setup.open({ databaseUrl: proxy.url });
    cleanUps.push(here.close);
    await here.ready();
    const { tenant, apiKey, key } = await there.createTenant({ name: "Cut", actor: "test" });
    const second = await there.mintKey({ tenantId: tenant.id, environment: "sandbox", actor: "test" });
    await here.authenticate(apiKey, cached);
    expect(here.cachedKeys()).toBe(1);

    proxy.cut();
    await expect.poll(here.cachedKeys).toBe(0);
    expect(await here.authenticate(apiKey, cached)).toBeDefined();
    expect(here.cachedKeys()).toBe(0);
    await there.revokeKey(tenant.id, key.id, "test");
    expect(await here.authenticate(apiKey, cached)).toBeUndefined();

    proxy.mend();
    const cachesAgain = async () => {
      await here.authenticate(second.apiKey, cached);
      return here.cachedKeys();
    };
    await expect.poll(cachesAgain).toBe(1);
    await there.revokeKey(tenant.id, second.key.id, "test");
    await expect.poll(() => here.authenticate(second.apiKey, cached)).toBeUndefined();
  });

  test("a listening connection ended by the server is reopened", async () => {
    const [here, there] = [setup.open(), setup.open()];
    await here.ready();
    const { tenant, apiKey, key } = await there.createTenant({ name: "Ended", actor: "test" });
    await here.authenticate(apiKey, cached);
    const ended = await setup.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = 'listen identity_changed'`,
    );
    expect(ended.rowCount).toBeGreaterThan(0);
    await there.revokeKey(tenant.id, key.id, "test");
    await expect.poll(() => here.authenticate(apiKey, cached)).toBeUndefined();
  });

  test("closing works during a reconnection", async () => {
    const proxy = await openProxy(setup.url);
    cleanUps.push(proxy.close);
    proxy.cut();
    const identity = setup.open({ databaseUrl: proxy.url });
    const { apiKey } = await identity.createTenant({ name: "Closing", actor: "test" });
    expect(await identity.authenticate(apiKey, cached)).toBeDefined();
    expect(identity.cachedKeys()).toBe(0);
    await identity.close();
    await identity.ready();
  });
});

describe("the cache itself", () => {
  const principal = (tenantId: string): Principal => ({
    keyId: "key_1",
    tenantId,
    serviceAccountId: "svc:key_1",
    scopes: ["*"],
    environment: "sandbox",
    plan: "free",
    signingSecret: "secret",
    expiresAt: undefined,
    defaultTravelerId: undefined,
  });

  test("drops an answer that a change may have overtaken", () => {
    const cache = createPrincipalCache({ clock: createManualClock() });
    cache.setEnabled(true);
    for (const change of [() => cache.evictKey("a"), () => cache.evictTenant("t"), () => cache.setEnabled(true)]) {
      const asked = cache.generation();
      change();
      cache.put("a", principal("t"), asked);
      expect(cache.get("a")).toBeUndefined();
    }
    cache.put("a", principal("t"), cache.generation());
    expect(cache.get("a")).toEqual(principal("t"));
  });

  test("stays within its limits, and unknown keys do not displace known ones", () => {
    const cache = createPrincipalCache({ clock: createManualClock(), maxEntries: 100 });
    cache.setEnabled(true);
    for (let index = 0; index < 1_000; index += 1) cache.put(`known${index}`, principal("t"), cache.generation());
    for (let index = 0; index < 1_000; index += 1) cache.put(`unknown${index}`, undefined, cache.generation());
    expect(cache.size()).toBe(200);
    expect(cache.get("known999")).toEqual(principal("t"));
    expect(cache.get("known0")).toBeUndefined();
    expect(cache.get("unknown999")).toBe("unknown");
  });

  test("caches an unknown key for one second", () => {
    const clock = createManualClock();
    const cache = createPrincipalCache({ clock });
    cache.setEnabled(true);
    cache.put("a", undefined, cache.generation());
    clock.advance({ milliseconds: 999 });
    expect(cache.get("a")).toBe("unknown");
    clock.advance({ milliseconds: 1 });
    expect(cache.get("a")).toBeUndefined();
  });

  test("evicts all keys of a tenant and no others", () => {
    const cache = createPrincipalCache({ clock: createManualClock() });
    cache.setEnabled(true);
    cache.put("a", principal("one"), cache.generation());
    cache.put("b", principal("one"), cache.generation());
    cache.put("c", principal("two"), cache.generation());
    cache.evictTenant("one");
    expect([cache.get("a"), cache.get("b")]).toEqual([undefined, undefined]);
    expect(cache.get("c")).toEqual(principal("two"));
  });
});
