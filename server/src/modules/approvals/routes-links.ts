import { z } from "zod";
import { definePublicRoute } from "../../kernel/contracts/route.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Maps } from "../../ports/maps.ts";
import type { Vault } from "../../ports/vault.ts";
import type { Person } from "../identity/index.ts";
import type { Travelers } from "../travelers/index.ts";
import { isSigned } from "./approval-link.ts";
import type { Approval } from "./approvals.ts";
import type { Stores } from "./context.ts";
import { decideApproval } from "./decide-approval.ts";
import { ApprovalAnswer, describeApproval } from "./describe-approval.ts";
import { nameTraveler } from "./name-traveler.ts";

interface LinkPorts {
  stores: Pick<Stores, "approvals" | "persons" | "runEvents" | "transaction">;
  clock: Clock;
  vault: Vault;
  travelers: Travelers;
  maps: Pick<Maps, "airport">;
}

const MAXIMUM_BODY_BYTES = 8_192;
const LONGEST_REASON = 1_000;
const NOT_FOUND = "There is no approval with this id and this link. Use the complete link exactly as you received it.";

const Path = z.object({ approvalId: z.string().regex(/^apr_[0-9A-Z]{26}$/) });
const Proof = z.strictObject({
  personId: z.string().min(1).max(128).describe("From the link"),
  linkSecret: z.string().min(1).max(100).describe("The part of the link after the #"),
});
const View = ApprovalAnswer.extend({
  personName: z.string(),
  isAgents: z.boolean().describe("true: the requesting key belongs to an agent, not a person"),
  keyName: z.string().nullable().describe("The name of the requesting key; null: it no longer exists"),
  sandbox: z.boolean(),
  cities: z
    .record(z.string(), z.string())
    .describe("The cities of the airports and city codes in the evidence, by code"),
  travelers: z
    .array(z.object({ userId: z.string(), name: z.string().nullable().describe("null: there is no profile") }))
    .describe("Who it is for"),
});

const proof = { personId: "user_grace", linkSecret: "mJ0H1c9Vq5d1rVqv0b2c4VwYk3T6oXx1n8sZ7uQeRtA" };

const viewLinked = definePublicRoute({
  id: "view_approval_link",
  method: "POST",
  path: "/api/approval-links/:approvalId/view",
  tag: "approvals",
  summary: "Look at an approval with a person's link",
  description:
    "The approval as shown to the holder of the link. A POST, so that the link's secret is not part of a URL.",
  limitByAddress: "requests",
  params: Path,
  body: Proof,
  maximumBodyBytes: MAXIMUM_BODY_BYTES,
  answers: { 200: { description: "The approval.", schema: View } },
  errors: { not_found: NOT_FOUND, rate_limited: "Too many requests." },
  example: { body: proof },
  async run({ params, body, fail }, ports: LinkPorts) {
    const found = await open(ports, { ...params, ...body });
    if (found === undefined) throw fail("not_found");
    return await describe(found, ports);
  },
});

const decideLinked = definePublicRoute({
  id: "decide_approval_link",
  method: "POST",
  path: "/api/approval-links/:approvalId",
  tag: "approvals",
  summary: "Decide an approval with a person's link",
  description:
    "Same as deciding with the person's key. The first decision counts and invalidates all links of the approval.",
  limitByAddress: "requests",
  params: Path,
  body: Proof.extend({
    decision: z.enum(["approve", "reject"]),
    reason: z.string().trim().min(1).max(LONGEST_REASON).exactOptional(),
  }),
  maximumBodyBytes: MAXIMUM_BODY_BYTES,
  answers: { 200: { description: "The decided approval.", schema: View } },
  errors: {
    not_found: NOT_FOUND,
    may_not_decide: "Neither the requester nor a traveler may decide; the policy names the role that may.",
    conflict:
      "It is already decided, used, replaced or expired; `state` says which, and `decidedBy` names the decider.",
    rate_limited: "Too many requests.",
  },
  example: { body: { ...proof, decision: "reject", reason: "Take the train." } },
  async run({ params, body, fail }, ports: LinkPorts) {
    const found = await open(ports, { ...params, ...body });
    if (found === undefined) throw fail("not_found");
    const { decision, reason } = body;
    const decider = { kind: "person", personId: body.personId, with: "link" } as const;
    const to = decision === "approve" ? "approved" : "rejected";
    const approval = await decideApproval(ports.stores, found.approval, decider, { to, reason });
    return await describe({ ...found, approval }, ports);
  },
});

export const linkRoutes = [viewLinked, decideLinked];

interface Linked {
  approval: Approval;
  person: Person;
}

async function open(
  { stores, vault }: LinkPorts,
  { approvalId, personId, linkSecret }: { approvalId: string; personId: string; linkSecret: string },
): Promise<Linked | undefined> {
  if (!isSigned(vault, { approvalId, personId }, linkSecret)) return undefined;
  const approval = await stores.approvals.findSigned(approvalId);
  const person = approval === undefined ? undefined : await stores.persons.find(approval, personId);
  return approval === undefined || person === undefined ? undefined : { approval, person };
}

async function describe({ approval, person }: Linked, ports: LinkPorts): Promise<z.output<typeof View>> {
  const sandbox = approval.environment === "sandbox";
  const answer = describeApproval(approval, ports.clock.now());
  const bought = Bought.safeParse(approval.evidence.bought).data;
  const userIds = bought?.travelerIds ?? [approval.travelerId];
  const readName = async (userId: string) => ({
    userId,
    name: (await nameTraveler(ports, approval, userId)) ?? null,
  });
  const travelers = await Promise.all(userIds.map(readName));
  const { persons } = ports.stores;
  const [keyPerson, keyName] = await Promise.all([
    persons.ofKey(approval.tenantId, approval.requestedKeyId),
    persons.keyName(approval.tenantId, approval.requestedKeyId),
  ]);
  const [requestedBy, decidedBy] = await Promise.all(
    [approval.requestedBy, approval.decidedBy].map((id) => callByName(ports, approval, id)),
  );
  const requestedFor = answer.requestedFor && (await readName(answer.requestedFor));
  const named = {
    isAgents: keyPerson === undefined,
    keyName: keyName ?? null,
    requestedBy: requestedBy ?? answer.requestedBy,
    requestedFor: requestedFor && (requestedFor.name ?? requestedFor.userId),
    decidedBy: decidedBy ?? null,
  };
  return { ...answer, ...named, personName: person.name, sandbox, travelers, cities: nameCities(approval, ports.maps) };
}

const Legs = z.array(z.looseObject({ origin: z.string().nullable(), destination: z.string().nullable() }));
const Routed = z.looseObject({ legs: Legs });

function nameCities({ evidence }: Approval, maps: LinkPorts["maps"]): Record<string, string> {
  const alternatives = z.array(z.unknown()).safeParse(evidence.alternatives).data ?? [];
  const routes = [evidence.bought, evidence.purpose, ...alternatives].map((shown) => Routed.safeParse(shown).data);
  const codes = routes.flatMap(
    (route) => route?.legs.flatMap(({ origin, destination }) => [origin, destination]) ?? [],
  );
  const cities = codes.map((code) => [code, code === null ? undefined : maps.airport(code)?.cityName]);
  return Object.fromEntries(cities.filter(([, city]) => city !== undefined));
}

/** The travelers in the evidence. */
const Bought = z.looseObject({ travelerIds: z.array(z.string()).nullable() });

/** Agents and systems keep their ids. */
async function callByName({ stores }: LinkPorts, approval: Approval, id: string | undefined) {
  return id === undefined ? undefined : ((await stores.persons.find(approval, id))?.name ?? id);
}
