import { z } from "zod";
import type { Clock } from "../../ports/clock.ts";
import { DEFAULT_POLICY_ID, DEFAULT_POLICY_VERSION, defaultCorp } from "./default-corp.ts";
import type { PolicyDocument } from "./document.ts";
import type { Owner, PolicyVersion } from "./policies.ts";
import type { TravelPolicies } from "./store.ts";

interface VersionPorts {
  travelPolicies: TravelPolicies;
  clock: Clock;
}

export const VersionFacts = z.object({
  policyId: z.string(),
  version: z.int(),
  state: z
    .enum(["active", "scheduled", "replaced"])
    .describe("active: it applies now. scheduled: it applies from effectiveAt. replaced: a later one has taken effect"),
  effectiveAt: z.string().nullable().describe("When it takes or took effect; null: it has always applied"),
  createdAt: z.string().nullable(),
  createdBy: z.string().nullable(),
});
export const builtInFacts: z.output<typeof VersionFacts> = {
  policyId: DEFAULT_POLICY_ID,
  version: DEFAULT_POLICY_VERSION,
  state: "active",
  effectiveAt: null,
  createdAt: null,
  createdBy: null,
};

export async function describeVersions(
  { travelPolicies, clock }: VersionPorts,
  owner: Owner,
  versions: readonly PolicyVersion[],
): Promise<z.output<typeof VersionFacts>[]> {
  const now = clock.now();
  const active = new Map<string, number | undefined>();
  for (const policyId of new Set(versions.map((one) => one.policyId))) {
    active.set(policyId, (await travelPolicies.findActive(owner, policyId, now))?.version);
  }
  return versions.map(({ policyId, version, effectiveAt, createdAt, createdBy }) => ({
    policyId,
    version,
    state:
      active.get(policyId) === version
        ? "active"
        : Temporal.Instant.compare(effectiveAt, now) > 0
          ? "scheduled"
          : "replaced",
    effectiveAt: effectiveAt.toString(),
    createdAt: createdAt.toString(),
    createdBy,
  }));
}

/** The current version, or the newest if none is in force yet; with `version`, that one. Undefined: there is none. */
export async function readVersion(
  { travelPolicies, clock }: VersionPorts,
  owner: Owner,
  policyId: string,
  version: number | undefined,
): Promise<(z.output<typeof VersionFacts> & { document: PolicyDocument }) | undefined> {
  if (policyId === DEFAULT_POLICY_ID) {
    const isBuiltIn = version === undefined || version === DEFAULT_POLICY_VERSION;
    return isBuiltIn ? { ...builtInFacts, document: defaultCorp } : undefined;
  }
  const found = await (version === undefined
    ? findShown(travelPolicies, owner, policyId, clock.now())
    : travelPolicies.find(owner, policyId, version));
  if (found === undefined) return undefined;
  const [facts] = await describeVersions({ travelPolicies, clock }, owner, [found]);
  const document = await travelPolicies.document(owner, policyId, found.version);
  return facts === undefined || document === undefined ? undefined : { ...facts, document };
}

async function findShown(
  policies: TravelPolicies,
  owner: Owner,
  policyId: string,
  now: Temporal.Instant,
): Promise<PolicyVersion | undefined> {
  const active = await policies.findActive(owner, policyId, now);
  return active ?? (await policies.listVersions(owner, policyId, { before: undefined, limit: 1 }))[0];
}
