import { z } from "zod";
import { invalidInput } from "../../domain/errors.ts";
import { IsoDate } from "../../domain/schemas.ts";
import { ADMINISTERS_POLICIES } from "../../domain/scopes.ts";
import { CURSOR_MESSAGE, NextCursor, pageQuery, readPage } from "../../kernel/contracts/page.ts";
import { Created, defineRoute } from "../../kernel/contracts/route.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Principal } from "../../ports/identity.ts";
import type { TenantMemory } from "../identity/index.ts";
import type { Reads } from "./context.ts";
import { findContradictions } from "./contradictions.ts";
import { DEFAULT_POLICY_ID } from "./default-corp.ts";
import { PolicyDocument } from "./document.ts";
import type { ActivePolicies, Owner } from "./policies.ts";
import { builtInFacts, describeVersions, readVersion, VersionFacts } from "./policy-versions.ts";
import { MOST_POLICIES, MOST_VERSIONS, type TravelPolicies } from "./store.ts";

/** A policy with thousands of rules is longer, and holds more values, than other bodies. */
const MAXIMUM_BODY_BYTES = 2_000_000;
const MAXIMUM_BODY_VALUES = 100_000;

const POLICY_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
const PolicyId = z
  .string()
  .regex(POLICY_ID, "must be 1 to 100 letters, digits, . _ or -, beginning with a letter or digit");
const PolicyPath = z.object({ policyId: PolicyId.describe(`${DEFAULT_POLICY_ID}, or an id of your own`) });
const Version = z.string().regex(/^[1-9]\d{0,8}$/, "must be the number of a version");

const PolicyAnswer = VersionFacts.extend({ document: PolicyDocument });

const document: z.input<typeof PolicyDocument> = {
  title: "Acme travel policy",
  timeZone: "Europe/London",
  flight: {
    maxPrice: { default: 1_500, byDuration: [{ maxHours: 3, amount: 450 }] },
    maxCabin: { default: "economy", byDuration: [{ minHours: 6, cabin: "premium_economy" }] },
    advancePurchaseDays: { severity: "warn", domestic: 7, international: 14 },
  },
  hotel: { maxNightly: { default: 220, byCity: { NYC: 380, LON: 340 } } },
  rules: [{ id: "no-first", severity: "deny", when: { kind: "flight", cabins: ["first"] } }],
};
const example = PolicyAnswer.parse({
  policyId: "acme-corp-2027",
  version: 1,
  state: "active",
  createdBy: "svc:key_01",
  effectiveAt: "2027-01-01T00:00:00Z",
  createdAt: "2026-12-01T09:30:00Z",
  document,
});
const { document: _document, ...exampleFacts } = example;

interface PolicyPorts {
  stores: { travelPolicies: TravelPolicies };
  reads: Reads;
  activePolicies: ActivePolicies;
  tenantMemory: TenantMemory;
  clock: Clock;
}

const shownBy = ({ stores: { travelPolicies }, clock }: PolicyPorts) => ({ travelPolicies, clock });
const toOwner = ({ tenantId, environment }: Principal): Owner => ({ tenantId, environment });

const notFound = "You have no such policy or version. GET /api/policies lists them.";

const listPolicies = defineRoute({
  id: "list_policies",
  method: "GET",
  path: "/api/policies",
  tag: "policy",
  summary: "List travel policies",
  description: `The newest version of each of the tenant's policies, and ${DEFAULT_POLICY_ID}, which every tenant has.`,
  scope: "policy:read",
  answers: { 200: { description: "All policies.", schema: z.object({ policies: z.array(VersionFacts) }) } },
  errors: {},
  example: { answer: { policies: [builtInFacts, exampleFacts] } },
  async run({ principal }, ports: PolicyPorts) {
    const owner = toOwner(principal);
    const versions = await ports.reads(owner.tenantId, async ({ travelPolicies }) =>
      describeVersions({ travelPolicies, clock: ports.clock }, owner, await travelPolicies.list(owner)),
    );
    return { policies: [builtInFacts, ...versions] };
  },
});

const getPolicy = defineRoute({
  id: "get_policy",
  method: "GET",
  path: "/api/policies/:policyId",
  tag: "policy",
  summary: "Read a travel policy",
  description:
    "The version that applies now, or the newest if none applies yet; version selects another. PUT its document under another id to copy it.",
  scope: "policy:read",
  params: PolicyPath,
  query: z.object({ version: Version.exactOptional() }),
  answers: { 200: { description: "One version.", schema: PolicyAnswer } },
  errors: { not_found: notFound },
  example: { answer: example },
  async run({ principal, params: { policyId }, query, fail }, ports: PolicyPorts) {
    const asked = query.version === undefined ? undefined : Number(query.version);
    const found = await readVersion(shownBy(ports), toOwner(principal), policyId, asked);
    if (found === undefined) throw fail("not_found");
    return found;
  },
});

const listPolicyVersions = defineRoute({
  id: "list_policy_versions",
  method: "GET",
  path: "/api/policies/:policyId/versions",
  tag: "policy",
  summary: "List a travel policy's versions",
  description: "Newest first, without their documents. A version never changes.",
  scope: "policy:read",
  params: PolicyPath,
  query: z.object(pageQuery(z.string().regex(/^[1-9]\d{0,8}$/, CURSOR_MESSAGE))),
  answers: {
    200: {
      description: "One page of versions.",
      schema: z.object({ versions: z.array(VersionFacts), nextCursor: NextCursor }),
    },
  },
  errors: { not_found: notFound },
  example: { answer: { versions: [exampleFacts], nextCursor: null } },
  async run({ principal, params: { policyId }, query, fail }, ports: PolicyPorts) {
    if (policyId === DEFAULT_POLICY_ID) return { versions: [builtInFacts], nextCursor: null };
    const owner = toOwner(principal);
    const before = query.cursor === undefined ? undefined : Number(query.cursor);
    const { shown, nextCursor } = await readPage(
      query,
      (limit) =>
        ports.reads(owner.tenantId, ({ travelPolicies }) =>
          travelPolicies.listVersions(owner, policyId, { before, limit }),
        ),
      ({ version }) => String(version),
    );
    if (shown.length === 0 && before === undefined) throw fail("not_found");
    return { versions: await describeVersions(shownBy(ports), owner, shown), nextCursor };
  },
});

const PolicyBody = z.strictObject({
  document: PolicyDocument,
  effectiveFrom: IsoDate.describe(
    "From the beginning of this day in the document's timeZone; default: at once",
  ).exactOptional(),
});

const writePolicy = defineRoute({
  id: "write_policy",
  method: "PUT",
  path: "/api/policies/:policyId",
  tag: "policy",
  summary: "Put a travel policy",
  description:
    "Stores the document as the next version of the policy; older versions are kept. The version that took effect last applies. A contradictory document is refused, with the path of the contradiction. Storing the same document again keeps its version.",
  scope: ADMINISTERS_POLICIES,
  params: PolicyPath,
  body: PolicyBody,
  maximumBodyBytes: MAXIMUM_BODY_BYTES,
  maximumBodyValues: MAXIMUM_BODY_VALUES,
  answers: {
    200: { description: "The next version of a policy.", schema: PolicyAnswer },
    201: { description: "A new policy.", schema: PolicyAnswer },
  },
  errors: {
    conflict: `${DEFAULT_POLICY_ID} cannot be changed, a tenant has at most ${MOST_POLICIES} policies and a policy ${MOST_VERSIONS} versions. Use another id.`,
  },
  example: { body: { document }, answer: example },
  async run({ principal, params: { policyId }, body, fail }, ports: PolicyPorts) {
    if (policyId === DEFAULT_POLICY_ID) throw fail("conflict");
    const contradictions = findContradictions(body.document);
    if (contradictions.length > 0) {
      throw invalidInput(contradictions.map(({ path, message }) => ({ path: `document.${path}`, message })));
    }
    const owner = toOwner(principal);
    const effectiveAt = effectiveInstant(body.effectiveFrom, body.document.timeZone, ports.clock.now());
    const version = { document: body.document, effectiveAt, createdBy: principal.serviceAccountId };
    const added = await ports.stores.travelPolicies.add(owner, policyId, version);
    if (added === undefined) throw fail("conflict");
    ports.tenantMemory.forget(owner);
    const [facts] = await describeVersions(shownBy(ports), owner, [added]);
    if (facts === undefined) throw new Error("a version that was stored is not described");
    const answer = { ...facts, document: body.document };
    return added.version === 1 ? new Created(answer) : answer;
  },
});

/** A version that is effective from today is effective from now: earlier verdicts of today stand. */
function effectiveInstant(date: string | undefined, timeZone: string, now: Temporal.Instant): Temporal.Instant {
  if (date === undefined) return now;
  const today = now.toZonedDateTimeISO(timeZone).toPlainDate();
  const from = Temporal.PlainDate.from(date);
  if (Temporal.PlainDate.compare(from, today) < 0) {
    throw invalidInput([{ path: "effectiveFrom", message: `must not be before today, ${today} in ${timeZone}` }]);
  }
  return from.equals(today) ? now : from.toZonedDateTime(timeZone).toInstant();
}

const EnforcementAnswer = z.object({
  policyId: z.string().nullable().describe("null: direct calls do not have to comply with any policy"),
  changedAt: z.string().nullable(),
  changedBy: z.string().nullable(),
});
const enforcementExample = { policyId: "acme-corp-2027", changedAt: "2026-12-01T09:31:00Z", changedBy: "svc:key_01" };

const readEnforcement = defineRoute({
  id: "read_policy_enforcement",
  method: "GET",
  path: "/api/policy-enforcement",
  tag: "policy",
  summary: "Read which policy is enforced",
  description: "The policy that direct calls must comply with if they book, change or pay.",
  scope: "policy:read",
  answers: { 200: { description: "The policy, or null.", schema: EnforcementAnswer } },
  errors: {},
  example: { answer: enforcementExample },
  async run({ principal }, { stores: { travelPolicies } }: PolicyPorts) {
    const found = await travelPolicies.findEnforced(toOwner(principal));
    return {
      policyId: found.policyId ?? null,
      changedAt: found.changedAt?.toString() ?? null,
      changedBy: found.changedBy ?? null,
    };
  },
});

const writeEnforcement = defineRoute({
  id: "write_policy_enforcement",
  method: "PUT",
  path: "/api/policy-enforcement",
  tag: "policy",
  summary: "Enforce a policy",
  description:
    "From now on, calls that book, change or pay return policy_denied or approval_required under this policy; null enforces none. Sandbox and production keys have separate settings.",
  scope: ADMINISTERS_POLICIES,
  body: z.strictObject({ policyId: PolicyId.nullable() }),
  answers: { 200: { description: "The policy is enforced.", schema: EnforcementAnswer } },
  errors: {},
  example: { body: { policyId: DEFAULT_POLICY_ID }, answer: { ...enforcementExample, policyId: DEFAULT_POLICY_ID } },
  async run(
    { principal, body: { policyId } },
    { stores: { travelPolicies }, activePolicies, tenantMemory }: PolicyPorts,
  ) {
    const owner = toOwner(principal);
    if (policyId !== null && (await activePolicies.find(owner, policyId)) === undefined) {
      throw invalidInput([{ path: "policyId", message: "must be a policy of which a version applies now" }]);
    }
    const changedBy = principal.serviceAccountId;
    const stored = await travelPolicies.enforce(owner, { policyId: policyId ?? undefined, changedBy });
    tenantMemory.forget(owner);
    return { policyId, changedAt: stored.changedAt.toString(), changedBy };
  },
});

export const policyRoutes = [
  listPolicies,
  getPolicy,
  writePolicy,
  listPolicyVersions,
  readEnforcement,
  writeEnforcement,
];
