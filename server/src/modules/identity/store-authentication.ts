import { type RawBuilder, sql } from "kysely";
import type pg from "pg";
import { buildServiceAccountId, DEMO_TRAVELER_ID } from "../../domain/user-ids.ts";
import { batchLookUps } from "../../platform/batching/batch.ts";
import { type ChangeListener, listenForChanges } from "../../platform/database/change-listener.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Environment, Identity, Principal, StoredKey } from "../../ports/identity.ts";
import type { Log } from "../../ports/log.ts";
import type { Vault } from "../../ports/vault.ts";
import { environmentOfKey } from "./environment-of-key.ts";
import type { OutsideProof } from "./outside/outside-proof.ts";
import { createPrincipalCache, type PrincipalCache } from "./principal-cache.ts";
import { hashKey } from "./store-keys.ts";
import { signingSecretContext } from "./store-tenants.ts";

const FLUSH_INTERVAL_MILLISECONDS = 30_000;

interface LastUsed {
  touch(keyId: string): void;
  flush(): Promise<void>;
  close(): Promise<void>;
}

const SELECT_KEYS = `
    select k.key_hash as "keyHash", k.id, k.tenant_id as "tenantId", k.person_id as "personId", k.scopes, k.environment,
      k.expires_at as "expiresAt", t.plan, t.is_demo as "isDemo", t.is_beta as "isBeta",
      t.signing_secret as "signingSecret", k.outside_id as "outsideId", t.organization_id as "organizationId"
    from api_key k join tenant t on t.id = k.tenant_id
    where k.revoked_at is null`;
const SELECT_BY_HASH = { name: "authenticate-keys", text: `${SELECT_KEYS} and k.key_hash = any ($1)` };
const SELECT_BY_ID = { name: "authenticate-key-by-id", text: `${SELECT_KEYS} and k.id = $1` };

/** Selects the key with this id as a `StoredKey`, as a part of a larger statement. */
export const selectKey = (id: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`${sql.raw(SELECT_KEYS)} and k.id = ${id}`;

const MOST_DECRYPTED_SECRETS = 10_000;
const MOST_PROVED_KEYS = 100_000;

export interface Authentication extends Pick<Identity, "authenticate" | "findPrincipal" | "toPrincipal"> {
  cache: PrincipalCache;
  /** Resolves when answers may be cached. Nothing needs to wait for it: until then every call reads the database. */
  ready(): Promise<void>;
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** The principal of a row. Undefined: none, such as for a key of the demo tenant in production. */
function principalMaker(vault: Vault, networkMode: Environment): (row: StoredKey) => Principal | undefined {
  /** Recently decrypted secrets, by ciphertext: a new secret has another one. */
  const decrypted = new Map<string, string>();

  function decryptSecret(row: StoredKey): string {
    const known = decrypted.get(row.signingSecret);
    if (known !== undefined) return known;
    const secret = vault.decrypt(row.signingSecret, signingSecretContext(row.tenantId));
    if (decrypted.size >= MOST_DECRYPTED_SECRETS) decrypted.clear();
    decrypted.set(row.signingSecret, secret);
    return secret;
  }

  return (row) => {
    if (row.isDemo && networkMode === "production") return undefined;
    return {
      keyId: row.id,
      tenantId: row.tenantId,
      serviceAccountId: buildServiceAccountId(row.id),
      personId: row.personId ?? undefined,
      scopes: row.scopes,
      environment: environmentOfKey(row, networkMode),
      plan: row.plan,
      signingSecret: decryptSecret(row),
      expiresAt: row.expiresAt ?? undefined,
      defaultTravelerId: row.isDemo ? DEMO_TRAVELER_ID : undefined,
    };
  };
}

/** The hot path: finds a key's principal. */
export function createAuthentication(options: {
  pool: pg.Pool;
  databaseUrl: string;
  vault: Vault;
  clock: Clock;
  networkMode: Environment;
  log: Pick<Log, "warn">;
  outside: OutsideProof;
}): Authentication {
  const { pool, databaseUrl, vault, clock, networkMode, log, outside } = options;
  const cache = createPrincipalCache({ clock });
  const lastUsed = createLastUsed({ pool, clock, log });
  let listener: ChangeListener | undefined;

  /** Starts with the first key: a command that only creates or lists needs no such connection. */
  function listen(): ChangeListener {
    listener ??= listenForChanges({
      databaseUrl,
      channel: "identity_changed",
      onChange(payload) {
        const [kind, id = ""] = payload.split(":", 2);
        if (kind === "key") cache.evictKey(id);
        else if (kind === "tenant") cache.evictTenant(id);
      },
      onListening: (listening) => cache.setEnabled(listening),
      log,
    });
    return listener;
  }

  const toPrincipal = principalMaker(vault, networkMode);

  const readKey = batchLookUps(async (keyHashes) => {
    const { rows } = await pool.query<StoredKey>({ ...SELECT_BY_HASH, values: [keyHashes] });
    return new Map(rows.map((row) => [row.keyHash, row]));
  });

  async function provePrincipal(
    row: StoredKey | undefined,
    secret: string | undefined,
  ): Promise<Principal | undefined> {
    const proved = row === undefined ? undefined : await outside.prove(row, secret);
    return proved === undefined ? undefined : toPrincipal(proved);
  }

  /** Hashes of keys that were valid when last read: looking them up again is not an attempt to guess. */
  const proved = new Set<string>();

  async function readPrincipal(keyHash: string, secret: string): Promise<Principal | undefined> {
    const generation = cache.generation();
    const asked = clock.now();
    const found = await readKey(keyHash);
    const row = found ?? ((await outside.enter(secret, keyHash)) ? await readKey(keyHash) : undefined);
    const principal = await provePrincipal(row, found === undefined ? undefined : secret);
    cache.put(keyHash, principal, generation, asked);
    if (principal === undefined) proved.delete(keyHash);
    else if (proved.size < MOST_PROVED_KEYS) proved.add(keyHash);
    return principal;
  }

  /** By the ids of keys, whose principals are cached by hash. */
  const hashById = new Map<string, string>();

  async function readPrincipalById(keyId: string): Promise<Principal | undefined> {
    const generation = cache.generation();
    const asked = clock.now();
    const [row] = (await pool.query<StoredKey>({ ...SELECT_BY_ID, values: [keyId] })).rows;
    const principal = await provePrincipal(row, undefined);
    const keyHash = row?.keyHash ?? hashById.get(keyId);
    if (keyHash === undefined) return undefined;
    if (hashById.size >= MOST_PROVED_KEYS) hashById.clear();
    hashById.set(keyId, keyHash);
    cache.put(keyHash, principal, generation, asked);
    return principal;
  }

  return {
    cache,
    ready: () => listen().ready,
    flush: lastUsed.flush,
    async findPrincipal(keyId, { fresh }) {
      if (!fresh) listen();
      const cached = fresh ? undefined : cache.get(hashById.get(keyId) ?? "");
      const principal = cached === undefined ? await readPrincipalById(keyId) : cached;
      return principal === "unknown" || principal === undefined || hasExpired(principal, clock) ? undefined : principal;
    },
    async toPrincipal(key) {
      const principal = await provePrincipal(key, undefined);
      return principal === undefined || hasExpired(principal, clock) ? undefined : principal;
    },
    async authenticate(key, { fresh, judge = lookUpAtOnce }) {
      const keyHash = hashKey(key) ?? outside.hashKey(key);
      if (keyHash === undefined) return undefined;
      listen();
      const cached = fresh ? undefined : cache.get(keyHash);
      if (cached === "unknown") return undefined;
      const lookUp = () => readPrincipal(keyHash, key);
      const principal = cached ?? (await (proved.has(keyHash) ? lookUp() : judge(lookUp)));
      if (principal === undefined) return undefined;
      // Checked on each use, including cached answers: a key that ends now must not outlive its end in the cache.
      if (hasExpired(principal, clock)) return undefined;
      lastUsed.touch(principal.keyId);
      return principal;
    },
    async close() {
      await listener?.close();
      await lastUsed.close();
    },
  };
}

function lookUpAtOnce(lookUp: () => Promise<Principal | undefined>): Promise<Principal | undefined> {
  return lookUp();
}

function hasExpired({ expiresAt }: Principal, clock: Clock): boolean {
  return expiresAt !== undefined && Temporal.Instant.compare(expiresAt, clock.now()) <= 0;
}

/** Collects when keys were used and writes that in intervals: one write per call would queue all calls of a key on one row. */
function createLastUsed(options: { pool: pg.Pool; clock: Clock; log: Pick<Log, "warn"> }): LastUsed {
  const { pool, clock, log } = options;
  let pending = new Map<string, Temporal.Instant>();

  async function flush(): Promise<void> {
    if (pending.size === 0) return;
    const batch = pending;
    pending = new Map();
    // Always in the same order: two processes that lock the same rows in different orders deadlock.
    const entries = [...batch].toSorted(([left], [right]) => (left < right ? -1 : 1));
    try {
      await pool.query(
        `with used as (
           select api_key.id, given.at from unnest($1::text[], $2::timestamptz[]) as given (id, at)
           join api_key on api_key.id = given.id order by api_key.id for update of api_key
         )
         update api_key set last_used_at = greatest(last_used_at, used.at) from used where api_key.id = used.id`,
        [entries.map(([keyId]) => keyId), entries.map(([, at]) => at.toString())],
      );
    } catch (error) {
      log.warn({ err: error, keys: batch.size }, "the time of use of some keys was not written yet");
      for (const [keyId, at] of batch) if (!pending.has(keyId)) pending.set(keyId, at);
    }
  }

  const timer = setInterval(() => void flush(), FLUSH_INTERVAL_MILLISECONDS);
  timer.unref();
  return {
    touch: (keyId) => void pending.set(keyId, clock.now()),
    flush,
    async close() {
      clearInterval(timer);
      await flush();
    },
  };
}
