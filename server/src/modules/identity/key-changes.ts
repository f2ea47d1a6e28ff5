import { Failure, invalidInput } from "../../domain/errors.ts";
import { newId, type RandomBytes } from "../../domain/ids.ts";
import { defaultScopes, EVERYTHING, findUnknownScopes, knownScopes, personalScopes } from "../../domain/scopes.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ApiKey, Environment, Identity } from "../../ports/identity.ts";
import type { OutsideKeys } from "../../ports/outside-keys.ts";
import { checkName, floorToMilliseconds } from "./check-input.ts";
import { type IssuedKey, issueOutside } from "./outside/issue-outside-key.ts";
import { deleteIntent } from "./outside/store-outside-keys.ts";
import type { PrincipalCache } from "./principal-cache.ts";
import { appendAudit } from "./store-audit.ts";
import {
  findByRequest,
  hashSecret,
  insertKey,
  lockKey,
  markRevoked,
  newKey,
  selectKeys,
  setExpiry,
  startKey,
} from "./store-keys.ts";
import { findPerson } from "./store-persons.ts";
import { selectTenant, tenantNotFound } from "./store-tenants.ts";

type MintInput = Parameters<Identity["mintKey"]>[0] & { replaces?: string };

type WantedKey = Pick<MintInput, "tenantId" | "environment"> & {
  [Name in "personId" | "name" | "scopes" | "expiresAt"]?: MintInput[Name] | undefined;
};

interface Parts {
  db: Queryable;
  clock: Clock;
  random: RandomBytes;
  /** Drops changed entries. */
  cache: Pick<PrincipalCache, "evictKey">;
  outsideKeys: OutsideKeys | undefined;
}

const MOST_OVERLAP_HOURS = 24;

export function createKeyChanges(parts: Parts): Pick<Identity, "mintKey" | "rotateKey" | "revokeKey"> {
  const { db, clock, cache } = parts;

  return {
    async mintKey(input) {
      const issued = await issue(input, parts);
      return await db.transaction().execute(async (transaction) => {
        if ((await selectTenant(transaction, input.tenantId)) === undefined) throw tenantNotFound();
        if (input.request !== undefined) await replaceUnseen(transaction, { ...input, request: input.request }, parts);
        return await mint(transaction, input, parts, issued);
      });
    },

    async rotateKey({ tenantId, keyId, overlapHours, actor }) {
      if (!Number.isInteger(overlapHours) || overlapHours < 0 || overlapHours > MOST_OVERLAP_HOURS) {
        const message = `must be whole hours from 0 to ${MOST_OVERLAP_HOURS}`;
        throw invalidInput([{ path: "overlapHours", message }]);
      }
      const before = (await selectKeys(db, tenantId)).find(({ id }) => id === keyId);
      const issued = before === undefined ? undefined : await issue(before, parts);
      const rotated = await db.transaction().execute(async (transaction) => {
        const now = floorToMilliseconds(clock.now());
        const old = await lockKey(transaction, tenantId, keyId, now);
        if (old === undefined) return undefined;
        const { personId, name, environment, scopes, expiresAt } = old;
        const made = await mint(
          transaction,
          {
            tenantId,
            ...(personId === undefined ? {} : { personId }),
            name,
            environment,
            scopes,
            ...(expiresAt === undefined ? {} : { expiresAt }),
            replaces: keyId,
            actor,
          },
          parts,
          issued,
        );
        const wanted = now.add({ hours: overlapHours });
        const isSooner = expiresAt !== undefined && Temporal.Instant.compare(expiresAt, wanted) < 0;
        const oldEndsAt = isSooner ? expiresAt : wanted;
        const marked = overlapHours === 0 ? await markRevoked(transaction, tenantId, keyId, now) : undefined;
        if (marked === undefined) await setExpiry(transaction, old, oldEndsAt);
        const details = { newKeyId: made.key.id, oldEndsAt: oldEndsAt.toString() };
        const audit = { tenantId, environment, actor, action: "key.rotate", subjectId: keyId, details };
        await appendAudit(transaction, audit, clock);
        return { made: { ...made, oldEndsAt }, marked };
      });
      if (rotated?.marked?.outcome === "revoked") cache.evictKey(rotated.marked.keyHash);
      return rotated?.made;
    },

    async revokeKey(tenantId, keyId, actor) {
      const result = await db.transaction().execute(async (transaction) => {
        const marked = await markRevoked(transaction, tenantId, keyId, clock.now());
        if (marked.outcome !== "revoked") return marked;
        const { environment } = marked;
        await appendAudit(transaction, { tenantId, environment, actor, action: "key.revoke", subjectId: keyId }, clock);
        return marked;
      });
      if (result.outcome === "revoked") cache.evictKey(result.keyHash);
      return result.outcome !== "unknown";
    },
  };
}

/** Ends the key that an earlier sending of the same request has made, whose answer was lost. */
async function replaceUnseen(
  transaction: Queryable,
  { tenantId, environment, request, actor }: MintInput & { request: string },
  { clock }: Pick<Parts, "clock">,
): Promise<void> {
  const made = await findByRequest(transaction, { tenantId, environment }, request);
  if (made === undefined) return;
  if (made.lastUsedAt !== undefined) {
    throw new Failure("conflict", {
      detail: `This request has made the key ${made.id}, which is in use. Send another request id for another key.`,
    });
  }
  await markRevoked(transaction, tenantId, made.id, clock.now());
  const details = { because: "its answer was lost, and the request was sent again" };
  const audit = { tenantId, environment, actor, action: "key.revoke", subjectId: made.id, details };
  await appendAudit(transaction, audit, clock);
}

/** Has the identity provider make the key, if the tenant's are made there. Refuses first what would be refused afterwards. */
async function issue(input: WantedKey, parts: Parts): Promise<IssuedKey | undefined> {
  const { tenantId, environment } = input;
  await requirePerson(parts.db, { tenantId, environment }, input.personId);
  return await issueOutside({ ...input, ...checkInput(input, parts.clock.now()) }, parts);
}

function checkInput(input: WantedKey, now: Temporal.Instant): Pick<ApiKey, "name" | "scopes" | "expiresAt"> {
  const { environment, personId, expiresAt } = input;
  return {
    name: checkName(input.name ?? environment, "name"),
    scopes: checkScopes(input.scopes ?? defaultScopes(environment), personId),
    expiresAt: checkExpiry(expiresAt === undefined ? undefined : floorToMilliseconds(expiresAt), now),
  };
}

/** `issued`: the key that the identity provider has made for it. */
export async function mint(
  transaction: Queryable,
  input: MintInput,
  { clock, random }: Pick<Parts, "clock" | "random">,
  issued?: IssuedKey,
): Promise<{ apiKey: string; key: ApiKey }> {
  const now = floorToMilliseconds(clock.now());
  const apiKey = issued?.apiKey ?? newKey(random);
  const { personId, tenantId, environment } = input;
  await requirePerson(transaction, { tenantId, environment }, personId);
  const key: ApiKey = {
    id: issued?.keyId ?? newId("key_", now.epochMilliseconds, random),
    tenantId,
    personId,
    ...checkInput(input, now),
    start: startKey(apiKey),
    environment,
    createdAt: now,
    revokedAt: undefined,
    lastUsedAt: undefined,
    replaces: input.replaces,
    outsideId: issued?.outsideId,
  };
  await insertKey(transaction, key, { keyHash: hashSecret(apiKey), request: input.request });
  if (issued !== undefined) await deleteIntent(transaction, issued.keyId);
  await appendAudit(
    transaction,
    {
      tenantId,
      environment,
      actor: input.actor,
      action: "key.mint",
      subjectId: key.id,
      details: {
        environment: key.environment,
        personId: personId ?? null,
        scopes: key.scopes,
        expiresAt: key.expiresAt?.toString() ?? null,
      },
    },
    clock,
  );
  return { apiKey, key };
}

async function requirePerson(
  transaction: Queryable,
  owner: { tenantId: string; environment: Environment },
  personId: string | undefined,
): Promise<void> {
  if (personId === undefined || (await findPerson(transaction, owner, personId)) !== undefined) return;
  throw invalidInput([{ path: "personId", message: "must be a person of this tenant in this environment" }]);
}

function checkScopes(scopes: readonly string[], personId: string | undefined): readonly string[] {
  const unknown = findUnknownScopes(scopes);
  const known = `Known scopes: ${knownScopes.join(", ")}`;
  if (unknown.length > 0) {
    const message = `unknown scope ${unknown.map((scope) => `"${scope}"`).join(", ")}. ${known}`;
    throw invalidInput([{ path: "scopes", message }]);
  }
  if (scopes.length === 0) throw invalidInput([{ path: "scopes", message: `must name at least one scope. ${known}` }]);
  const personal = personalScopes.filter((scope) => scopes.includes(scope));
  if (personal.length > 0 && personId === undefined) {
    const message = `${personal.join(", ")} can be held by a person's own key only; name the person`;
    throw invalidInput([{ path: "scopes", message }]);
  }
  return scopes.includes(EVERYTHING) ? [EVERYTHING, ...personal] : [...new Set(scopes)];
}

function checkExpiry(expiresAt: Temporal.Instant | undefined, now: Temporal.Instant): Temporal.Instant | undefined {
  if (expiresAt === undefined || Temporal.Instant.compare(expiresAt, now) > 0) return expiresAt;
  throw new Failure("invalid_input", {
    detail: "The key would have expired already.",
    issues: [{ path: "expiresAt", message: "must be in the future" }],
  });
}
