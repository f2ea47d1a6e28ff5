import { hash } from "node:crypto";
import { newId, type RandomBytes, randomBase62 } from "../../domain/ids.ts";
import type { Queryable } from "../../platform/database/database.ts";
import { withoutNulls } from "../../platform/database/without-nulls.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Environment, Identity, InternalTokens } from "../../ports/identity.ts";
import { appendAudit } from "../identity/index.ts";
import type { InternalToken, InternalTokenAdministration, TokenKeys } from "./internal-tokens.ts";

const PREFIX = "itk_";
const RANDOM_CHARACTERS = 40;
const START_CHARACTERS = 9;
const TOKEN = /^itk_[0-9A-Za-z]{40}$/;
/** A token's scopes for a tenant: everything but what only persons may do. */
const SCOPES = ["*"];

interface TokenChange {
  id: string;
  tenantId?: string;
  environment?: Environment | undefined;
}

const hashToken = (token: string): string => hash("sha256", token, "base64url");
const newToken = (random: RandomBytes): string => `${PREFIX}${randomBase62(RANDOM_CHARACTERS, random)}`;

export function createInternalTokens(queryable: Queryable, identity: Pick<Identity, "findPrincipal">): InternalTokens {
  return {
    async authenticate(token) {
      if (!TOKEN.test(token)) return undefined;
      const rows = await queryable
        .selectFrom("internalToken as token")
        .leftJoin("internalTokenTenant as bound", "bound.tokenId", "token.id")
        .select(["token.id", "bound.keyId"])
        .where("token.tokenHash", "=", hashToken(token))
        .where("token.revokedAt", "is", null)
        .execute();
      if (rows.length === 0) return undefined;
      const principals = await Promise.all(
        rows.flatMap(({ keyId }) => (keyId === null ? [] : [identity.findPrincipal(keyId, { fresh: true })])),
      );
      return principals.flatMap((principal) => (principal === undefined ? [] : [{ ...principal, isInternal: true }]));
    },
  };
}

export class TokenAdministration implements InternalTokenAdministration {
  readonly #db: Queryable;
  readonly #clock: Clock;
  readonly #random: RandomBytes;

  constructor(db: Queryable, { clock, random }: { clock: Clock; random: RandomBytes }) {
    this.#db = db;
    this.#clock = clock;
    this.#random = random;
  }

  list(): Promise<readonly InternalToken[]> {
    return listTokens(this.#db);
  }

  async issue(name: string, actor: string): Promise<{ token: string; id: string }> {
    const token = newToken(this.#random);
    const now = this.#clock.now();
    const id = newId("tok_", now.epochMilliseconds, this.#random);
    await this.#change(actor, "issue", { id }, async (transaction) => {
      const row = { id, name, tokenHash: hashToken(token), start: token.slice(0, START_CHARACTERS) };
      await transaction
        .insertInto("internalToken")
        .values({ ...row, createdAt: now.toString() })
        .execute();
      return true;
    });
    return { token, id };
  }

  async rotate(id: string, actor: string): Promise<string | undefined> {
    const token = newToken(this.#random);
    const change = { tokenHash: hashToken(token), start: token.slice(0, START_CHARACTERS) };
    const rotatedAt = this.#clock.now().toString();
    const isThere = await this.#change(actor, "rotate", { id }, (transaction) =>
      updateToken(transaction, id, { ...change, rotatedAt }),
    );
    return isThere ? token : undefined;
  }

  revoke(id: string, actor: string): Promise<boolean> {
    const revokedAt = this.#clock.now().toString();
    return this.#change(actor, "revoke", { id }, (transaction) => updateToken(transaction, id, { revokedAt }));
  }

  async bind(
    keys: TokenKeys,
    id: string,
    { tenantId, environment }: { tenantId: string; environment: Environment },
    actor: string,
  ): Promise<boolean> {
    const known = (await this.list()).find((token) => token.id === id && token.revokedAt === undefined);
    if (known === undefined) return false;
    await this.unbind(keys, id, tenantId, actor);
    const name = `internal token ${id}`;
    const { key } = await keys.mintKey({ tenantId, name, environment, scopes: SCOPES, actor });
    return await this.#change(actor, "bind", { id, tenantId, environment }, async (transaction) => {
      const row = { tokenId: id, tenantId, environment, keyId: key.id };
      await transaction.insertInto("internalTokenTenant").values(row).execute();
      return true;
    });
  }

  async unbind(keys: TokenKeys, id: string, tenantId: string, actor: string): Promise<boolean> {
    let keyId: string | undefined;
    const change: TokenChange = { id, tenantId };
    await this.#change(actor, "unbind", change, async (transaction) => {
      const unbound = await transaction
        .deleteFrom("internalTokenTenant")
        .where("tokenId", "=", id)
        .where("tenantId", "=", tenantId)
        .returning(["keyId", "environment"])
        .executeTakeFirst();
      keyId = unbound?.keyId;
      change.environment = unbound?.environment;
      return unbound !== undefined;
    });
    // Runs that it began for the tenant then wait for another key.
    if (keyId !== undefined) await keys.revokeKey(tenantId, keyId, actor);
    return keyId !== undefined;
  }

  /** Audits a change; false: nothing changed. */
  async #change(
    actor: string,
    action: string,
    change: TokenChange,
    work: (transaction: Queryable) => Promise<boolean>,
  ): Promise<boolean> {
    return await this.#db.transaction().execute(async (transaction) => {
      if (!(await work(transaction))) return false;
      const { id, tenantId, environment = null } = change;
      const entry = { environment, actor, action: `internal_token.${action}`, subjectId: id };
      await appendAudit(transaction, tenantId === undefined ? entry : { ...entry, tenantId }, this.#clock);
      return true;
    });
  }
}

async function updateToken(
  transaction: Queryable,
  id: string,
  change: { tokenHash?: string; start?: string; rotatedAt?: string; revokedAt?: string },
): Promise<boolean> {
  const row = await transaction
    .updateTable("internalToken")
    .set(change)
    .where("id", "=", id)
    .where("revokedAt", "is", null)
    .returning("id")
    .executeTakeFirst();
  return row !== undefined;
}

async function listTokens(db: Queryable): Promise<readonly InternalToken[]> {
  const rows = await db
    .selectFrom("internalToken")
    .select(["id", "name", "start", "createdAt", "rotatedAt", "revokedAt"])
    .orderBy("id")
    .execute();
  const bound = await db
    .selectFrom("internalTokenTenant")
    .select(["tokenId", "tenantId", "environment"])
    .orderBy("tenantId")
    .execute();
  return rows.map((row) => ({
    ...withoutNulls(row),
    tenants: bound.flatMap(({ tokenId, ...tenant }) => (tokenId === row.id ? [tenant] : [])),
  }));
}
