import { z } from "zod";
import { defineTool } from "../context.ts";
import { DEFAULT_POLICY_ID } from "../default-corp.ts";
import { builtInFacts, describeVersions, readVersion, VersionFacts } from "../policy-versions.ts";
import { unknownPolicy } from "../unknown-policy.ts";

/** The most list entries shown, so that an agent can read the answer. */
const MOST_ENTRIES_SHOWN = 100;

export const readPolicy = defineTool({
  name: "read_policy",
  title: "Read travel policies",
  summary:
    "Show a travel policy's rules and version, and whether direct bookings must comply; without policyId, all of the tenant's policies and the rules that apply now.",
  advice:
    "check_policy applies the rules to an offer; preview_call, to a call. Omitted parts set no limit; prices are in US dollars. Only a person can change a policy.",
  area: "policy",
  effect: "read",
  price: 500n,
  payableWithoutKey: false,
  uses: ["stores", "reads", "activePolicies", "clock"],
  input: z
    .strictObject({
      policyId: z.string().optional(),
      version: z.int().min(1).max(999_999_999).optional().describe("Default: the version that applies now"),
    })
    .superRefine(({ policyId, version }, context) => {
      if (version === undefined || policyId !== undefined) return;
      context.addIssue({ code: "custom", path: ["policyId"], message: "is required with version" });
    }),
  output: z.object({
    enforcedPolicyId: z.string().nullable().describe("The policy that direct bookings must comply with; null: none"),
    policies: z
      .array(VersionFacts.omit({ createdBy: true }).extend({ isEnforced: z.boolean() }))
      .describe("Without policyId: of each policy, the version that applies now, or its newest"),
    document: z
      .record(z.string(), z.unknown())
      .optional()
      .describe("The document of policyId; without policyId, of the enforced policy, or else of the only one"),
    shortened: z
      .array(z.object({ path: z.string(), shown: z.int(), of: z.int() }))
      .describe("Lists in the document that are longer than shown"),
  }),
  errors: {},
  example: () => ({ policyId: DEFAULT_POLICY_ID }),

  async run({ policyId, version }, { stores, reads, activePolicies, clock, caller, invalid }) {
    const { travelPolicies } = stores;
    const { policyIds, enforcedId } = await activePolicies.names(caller);
    const shown = (facts: z.output<typeof VersionFacts>) => {
      const { createdBy: _, ...said } = facts;
      return { ...said, isEnforced: said.policyId === enforcedId && said.state === "active" };
    };
    if (policyId === undefined) {
      const own = await reads(caller.tenantId, async (found) => {
        const ports = { travelPolicies: found.travelPolicies, clock };
        const newest = await describeVersions(ports, caller, await found.travelPolicies.list(caller));
        // A policy whose newest version is not in force yet is shown with the current one, if any.
        return await Promise.all(
          newest.map(async (facts) =>
            facts.state === "scheduled"
              ? VersionFacts.parse((await readVersion(ports, caller, facts.policyId, undefined)) ?? facts)
              : facts,
          ),
        );
      });
      const policies = [builtInFacts, ...own].map(shown);
      const inForceId = enforcedId ?? (own.length === 0 ? DEFAULT_POLICY_ID : undefined);
      const inForce =
        inForceId === undefined
          ? undefined
          : await readVersion({ travelPolicies, clock }, caller, inForceId, undefined);
      return { enforcedPolicyId: enforcedId ?? null, policies, ...shortenDocument(inForce?.document) };
    }
    const found = await readVersion({ travelPolicies, clock }, caller, policyId, version);
    if (found === undefined) {
      const isVersion = policyIds.includes(policyId);
      throw invalid(
        isVersion
          ? { path: "version", message: `${policyId} has no such version` }
          : { path: "policyId", message: unknownPolicy(policyId, policyIds) },
      );
    }
    const { document, ...facts } = found;
    return { enforcedPolicyId: enforcedId ?? null, policies: [shown(facts)], ...shortenDocument(document) };
  },
});

function shortenDocument(document: Readonly<Record<string, unknown>> | undefined) {
  if (document === undefined) return { shortened: [] };
  const { value, shortened } = shortenLists(document, MOST_ENTRIES_SHOWN);
  return { document: value, shortened };
}

interface Shortened {
  path: string;
  shown: number;
  of: number;
}

/** Shortens lists of a JSON object to `most` entries, and returns which were shortened. */
function shortenLists(
  value: Readonly<Record<string, unknown>>,
  most: number,
): { value: Record<string, unknown>; shortened: Shortened[] } {
  const shortened: Shortened[] = [];
  const shorten = (one: unknown, path: string): unknown => {
    if (Array.isArray(one)) {
      if (one.length > most) shortened.push({ path, shown: most, of: one.length });
      return one.slice(0, most).map((entry, index) => shorten(entry, `${path}.${index}`));
    }
    if (typeof one !== "object" || one === null) return one;
    return shortenMembers(one, `${path}.`);
  };
  const shortenMembers = (one: object, prefix: string) =>
    Object.fromEntries(Object.entries(one).map(([name, member]) => [name, shorten(member, `${prefix}${name}`)]));
  return { value: shortenMembers(value, ""), shortened };
}
