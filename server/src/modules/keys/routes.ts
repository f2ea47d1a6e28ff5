import { z } from "zod";
import { invalidInput } from "../../domain/errors.ts";
import { formatDecimal, parseDecimal } from "../../domain/money.ts";
import { ADMINISTERS_KEYS, defaultScopes, hasScope, knownScopes, personalScopes } from "../../domain/scopes.ts";
import type { Hex } from "../../domain/tokens.ts";
import { defineRoute } from "../../kernel/contracts/route.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ApiKey, Identity, Principal } from "../../ports/identity.ts";
import type { Limits } from "../limits/index.ts";
import type { Stores } from "./context.ts";

interface KeyPorts {
  identity: Identity;
  stores: Pick<Stores, "spendLimits">;
  clock: Clock;
}

const KEY_ID = /^key_[0-9A-Z]{26}$/;
const TAG = "keys";
const ENVIRONMENTS = ["sandbox", "production"] as const;
/** The largest value that the database can hold. */
const MAXIMUM_MICRO = 2n ** 63n - 1n;

const Amount = z
  .string()
  .refine((text) => (parseDecimal(text) ?? MAXIMUM_MICRO + 1n) <= MAXIMUM_MICRO, {
    message: "must be a decimal amount with at most 6 places, such as 2500",
  })
  .meta({ maxLength: 20 });

const LimitFields = z.strictObject({
  perCallUsdc: Amount.describe("The most that one call may spend").exactOptional(),
  perDayUsdc: Amount.describe("In a day (UTC)").exactOptional(),
  perMonthUsdc: Amount.describe("In a calendar month (UTC)").exactOptional(),
  feesUsdc: Amount.describe("The most that the calls themselves may cost in a calendar month (UTC)").exactOptional(),
  recipients: z
    .array(z.string().regex(/^0x[0-9a-fA-F]{40}$/, "must be 0x and 40 hexadecimal digits"))
    .min(1)
    .max(100)
    .describe("The only addresses that it may send money to")
    .exactOptional(),
  tools: z.array(z.string().max(64)).min(1).max(200).describe("The only tools that may spend with it").exactOptional(),
});

const KeyAnswer = z.object({
  keyId: z.string(),
  name: z.string(),
  start: z.string().describe("The first characters, for recognition"),
  state: z.enum(["active", "expired", "revoked"]),
  scopes: z.array(z.string()),
  environment: z.enum(ENVIRONMENTS),
  personId: z.string().nullable().describe("The person whose own key it is; null: an agent's"),
  createdAt: z.string(),
  expiresAt: z.string().nullable(),
  revokedAt: z.string().nullable(),
  lastUsedAt: z.string().nullable().describe("Within half a minute"),
  replaces: z.string().nullable().describe("The key that it was made in place of"),
  limits: LimitFields,
});

const NewKeyAnswer = z.object({
  apiKey: z.string().describe("Shown only here: a hash of it is stored"),
  key: KeyAnswer,
});

const example: z.output<typeof KeyAnswer> = {
  keyId: "key_01KAJ2M5Q6R7S8T9V0W1X2Y3Z4",
  name: "search agent",
  start: "ak_8fKq2",
  state: "active",
  scopes: ["flights:read", "stays:read"],
  environment: "sandbox",
  personId: null,
  createdAt: "2030-01-01T09:00:00Z",
  expiresAt: null,
  revokedAt: null,
  lastUsedAt: null,
  replaces: null,
  limits: { perDayUsdc: "500.00" },
};
const exampleSecret = `ak_${"x".repeat(40)}`;
const KeyPath = z.object({ keyId: z.string().regex(KEY_ID) });
const NOT_FOUND = "The tenant has no such key in this environment.";

const listKeys = defineRoute({
  id: "list_keys",
  method: "GET",
  path: "/api/keys",
  tag: TAG,
  summary: "List keys",
  description: "The tenant's keys in the environment of the key, newest first, ended ones included.",
  scope: ADMINISTERS_KEYS,
  answers: { 200: { description: "The keys.", schema: z.object({ keys: z.array(KeyAnswer) }) } },
  errors: {},
  example: { answer: { keys: [example] } },
  async run({ principal }, ports: KeyPorts) {
    const keys = await ownKeys(principal, ports);
    return { keys: await Promise.all(keys.toReversed().map((key) => describeKey(key, ports))) };
  },
});

const mintKey = defineRoute({
  id: "mint_key",
  method: "POST",
  path: "/api/keys",
  tag: TAG,
  summary: "Make a key",
  description:
    "An agent's key in the environment of yours, with no more scopes than you have. It is shown once. In production it only reads unless you name other scopes.",
  scope: ADMINISTERS_KEYS,
  body: z.strictObject({
    name: z.string().trim().min(1).max(100),
    scopes: z
      .array(z.enum(knownScopes.filter((scope) => !personalScopes.includes(scope))))
      .min(1)
      .describe("Left out: * in the sandbox, and every read but travelers in production")
      .exactOptional(),
    expiresAt: z.iso.datetime({ offset: true }).describe("Left out: never").exactOptional(),
    limits: LimitFields.exactOptional(),
    requestId: z
      .string()
      .regex(/^[A-Za-z0-9_-]{8,64}$/, "must be 8 to 64 letters, digits, _ and -")
      .describe("Your own id of this request. Sent again after a lost answer, it replaces the key that nobody saw")
      .exactOptional(),
  }),
  answers: { 200: { description: "The key.", schema: NewKeyAnswer } },
  errors: { conflict: "The key that this requestId made is in use." },
  example: {
    body: { name: "search agent", scopes: ["flights:read", "stays:read"] },
    answer: { apiKey: exampleSecret, key: example },
  },
  async run({ principal, body }, ports: KeyPorts) {
    const { tenantId, environment } = principal;
    const scopes = body.scopes ?? defaultScopes(environment);
    const more = scopes.filter((scope) => !hasScope(principal.scopes, scope));
    if (more.length > 0) {
      throw invalidInput([{ path: "scopes", message: `you do not have ${more.join(", ")} yourself` }]);
    }
    const { apiKey, key } = await ports.identity.mintKey({
      tenantId,
      environment,
      name: body.name,
      scopes,
      ...(body.expiresAt === undefined ? {} : { expiresAt: Temporal.Instant.from(body.expiresAt) }),
      ...(body.requestId === undefined ? {} : { request: body.requestId }),
      actor: principal.personId ?? principal.serviceAccountId,
    });
    // Before the key is shown: nobody can use it without its limits.
    await limitKey(key, readLimits(body.limits), principal, ports);
    return { apiKey, key: await describeKey(key, ports) };
  },
});

const rotateKey = defineRoute({
  id: "rotate_key",
  method: "POST",
  path: "/api/keys/:keyId/rotate",
  tag: TAG,
  summary: "Rotate a key",
  description:
    "Makes a key with the name, scopes, expiry and limits of this one, which ends after the overlap. Amounts used under the limits count from zero.",
  scope: ADMINISTERS_KEYS,
  params: KeyPath,
  body: z.strictObject({
    overlapHours: z.int().min(0).max(24).describe("How long the old key still works; 0: it ends now"),
  }),
  answers: {
    200: { description: "The new key.", schema: NewKeyAnswer.extend({ oldEndsAt: z.string() }) },
  },
  errors: { not_found: NOT_FOUND, conflict: "The key has ended. Make a new one." },
  example: {
    body: { overlapHours: 24 },
    answer: { apiKey: exampleSecret, key: { ...example, replaces: example.keyId }, oldEndsAt: "2030-01-02T09:00:00Z" },
  },
  async run({ principal, params: { keyId }, body: { overlapHours }, fail }, ports: KeyPorts) {
    const { tenantId } = principal;
    const old = (await ownKeys(principal, ports)).find(({ id }) => id === keyId);
    if (old === undefined) throw fail("not_found");
    requireScopes(old, principal);
    const actor = principal.personId ?? principal.serviceAccountId;
    const rotated = await ports.identity.rotateKey({ tenantId, keyId, overlapHours, actor });
    if (rotated === undefined) throw fail("conflict");
    for (const environment of ENVIRONMENTS) {
      const limits = await ports.stores.spendLimits.get(tenantId, environment, keyId);
      await limitKey(rotated.key, limits, principal, ports, [environment]);
    }
    const { apiKey, key, oldEndsAt } = rotated;
    return { apiKey, key: await describeKey(key, ports), oldEndsAt: oldEndsAt.toString() };
  },
});

const revokeKey = defineRoute({
  id: "revoke_key",
  method: "POST",
  path: "/api/keys/:keyId/revoke",
  tag: TAG,
  summary: "Revoke a key",
  description: "Ends it at once for what writes or spends, within 15 seconds for reads. It cannot be undone.",
  scope: ADMINISTERS_KEYS,
  params: KeyPath,
  answers: {
    200: { description: "It is revoked.", schema: z.object({ keyId: z.string(), revoked: z.literal(true) }) },
  },
  errors: { not_found: NOT_FOUND },
  example: { answer: { keyId: example.keyId, revoked: true } },
  async run({ principal, params: { keyId }, fail }, ports: KeyPorts) {
    const { tenantId } = principal;
    const isOwn = (await ownKeys(principal, ports)).some(({ id }) => id === keyId);
    const actor = principal.personId ?? principal.serviceAccountId;
    if (!isOwn || !(await ports.identity.revokeKey(tenantId, keyId, actor))) throw fail("not_found");
    return { keyId, revoked: true as const };
  },
});

export const keyRoutes = [listKeys, mintKey, rotateKey, revokeKey];

/** Those of the tenant in the caller's environment, oldest first. */
async function ownKeys(
  { tenantId, environment }: Principal,
  { identity }: Pick<KeyPorts, "identity">,
): Promise<readonly ApiKey[]> {
  return (await identity.listKeys(tenantId)).filter((key) => key.environment === environment);
}

/** Whoever rotates a key sees its secret: they need every scope that it has, and a person's own key is that person's. */
function requireScopes({ scopes, personId }: ApiKey, principal: Principal): void {
  const more = scopes.filter((scope) => !hasScope(principal.scopes, scope));
  const isAnothers = personId !== undefined && personId !== principal.personId;
  if (more.length === 0 && !isAnothers) return;
  const why = isAnothers ? "it is another person's own key" : `it has scopes that you do not have: ${more.join(", ")}`;
  throw invalidInput([{ path: "keyId", message: `${why}. Revoke it instead` }]);
}

const readAmount = (text: string | undefined): bigint | undefined =>
  text === undefined ? undefined : parseDecimal(text);

function readLimits(given: z.output<typeof LimitFields> = {}): Partial<Limits> {
  return {
    perCall: readAmount(given.perCallUsdc),
    perDay: readAmount(given.perDayUsdc),
    perMonth: readAmount(given.perMonthUsdc),
    fees: readAmount(given.feesUsdc),
    recipients: given.recipients?.map(toHex),
    tools: given.tools,
  };
}

/** Checked by the schema. */
const toHex = (address: string): Hex => `0x${address.slice(2).toLowerCase()}`;

/** A production key can act in the sandbox, so that both environments have its limits. */
async function limitKey(
  { tenantId, id }: ApiKey,
  limits: Partial<Limits>,
  { personId, serviceAccountId }: Principal,
  { stores }: Pick<KeyPorts, "stores">,
  environments: readonly (typeof ENVIRONMENTS)[number][] = ENVIRONMENTS,
): Promise<void> {
  if (Object.values(limits).every((limit) => limit === undefined)) return;
  for (const environment of environments) {
    await stores.spendLimits.set(tenantId, environment, id, limits, personId ?? serviceAccountId);
  }
}

async function describeKey(key: ApiKey, { stores, clock }: KeyPorts): Promise<z.output<typeof KeyAnswer>> {
  const { id, tenantId, environment } = key;
  const limits = await stores.spendLimits.get(tenantId, environment, id);
  return {
    keyId: id,
    name: key.name,
    start: key.start,
    state: stateNow(key, clock.now()),
    scopes: [...key.scopes],
    environment,
    personId: key.personId ?? null,
    createdAt: key.createdAt.toString(),
    expiresAt: key.expiresAt?.toString() ?? null,
    revokedAt: key.revokedAt?.toString() ?? null,
    lastUsedAt: key.lastUsedAt?.toString() ?? null,
    replaces: key.replaces ?? null,
    limits: describeLimits(limits),
  };
}

function stateNow({ revokedAt, expiresAt }: ApiKey, now: Temporal.Instant): z.output<typeof KeyAnswer>["state"] {
  if (revokedAt !== undefined) return "revoked";
  return expiresAt !== undefined && Temporal.Instant.compare(expiresAt, now) <= 0 ? "expired" : "active";
}

function describeLimits({ perCall, perDay, perMonth, fees, recipients, tools }: Limits): z.output<typeof LimitFields> {
  return {
    ...(perCall === undefined ? {} : { perCallUsdc: formatDecimal(perCall) }),
    ...(perDay === undefined ? {} : { perDayUsdc: formatDecimal(perDay) }),
    ...(perMonth === undefined ? {} : { perMonthUsdc: formatDecimal(perMonth) }),
    ...(fees === undefined ? {} : { feesUsdc: formatDecimal(fees) }),
    ...(recipients === undefined ? {} : { recipients: [...recipients] }),
    ...(tools === undefined ? {} : { tools: [...tools] }),
  };
}
