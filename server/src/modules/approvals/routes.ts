import { z } from "zod";
import { invalidInput, unauthorized } from "../../domain/errors.ts";
import { buildScope, DECIDES_APPROVALS } from "../../domain/scopes.ts";
import { CURSOR_MESSAGE, NextCursor, pageQuery, readPage } from "../../kernel/contracts/page.ts";
import { defineInternalRoute, defineRoute } from "../../kernel/contracts/route.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Principal } from "../../ports/identity.ts";
import type { Vault } from "../../ports/vault.ts";
import { buildApprovalLink } from "./approval-link.ts";
import { APPROVAL_STATES, type Approval, type ApprovalOwner, type ApprovalPage, toOwner } from "./approvals.ts";
import type { Parts, Stores } from "./context.ts";
import { type Decider, decideApproval } from "./decide-approval.ts";
import { NamedApproval, type NamingPorts, nameApprovals } from "./name-approvals.ts";

interface ApprovalPorts {
  stores: Pick<Stores, "approvals" | "persons" | "runEvents" | "transaction">;
  reads: Parts["reads"];
  clock: Clock;
  vault: Vault;
  travelers: NamingPorts["travelers"];
  urls: Parts["urls"];
}

const APPROVAL_ID = /^apr_[0-9A-Z]{26}$/;
const NOT_FOUND = "This key or token has no such approval.";
const LONGEST_REASON = 1_000;

const ApprovalPath = z.object({ approvalId: z.string().regex(APPROVAL_ID) });
const stateByDecision = { approve: "approved", reject: "rejected", revoke: "revoked" } as const;

const ListedApproval = NamedApproval.extend({
  link: z
    .string()
    .nullable()
    .describe(
      "With a person's key: the page where this person decides, valid for one decision. Do not give it to anyone else",
    ),
});

const example = NamedApproval.parse({
  approvalId: "apr_01KAJ2M5Q6R7S8T9V0W1X2Y3Z4",
  state: "pending",
  tool: "book_flight",
  travelerId: "user_ada",
  travelerIds: ["user_ada"],
  amount: "3120.50",
  isMinimum: false,
  tolerance: "0.00",
  policyId: "acme-corp-2027",
  policyVersion: 3,
  role: "approver",
  requestedByKey: "svc:key_01KAJ2M5Q6R7S8T9V0W1X2Y3Z4",
  requestedFor: null,
  requestedBy: "svc:key_01KAJ2M5Q6R7S8T9V0W1X2Y3Z4",
  requestedAt: "2030-01-01T09:00:00Z",
  expiresAt: "2030-01-02T09:00:00Z",
  decidedBy: null,
  decidedAt: null,
  reason: null,
  usedAt: null,
  evidence: { bought: { kind: "flight", priceUsd: "3120.50" }, violations: [] },
  travelers: [{ userId: "user_ada", name: "Ada Lovelace" }],
  requestedByName: "research agent",
  requestedForName: null,
  decidedByName: null,
});

const listApprovals = defineRoute({
  id: "get_approvals",
  method: "GET",
  path: "/api/approvals",
  tag: "approvals",
  summary: "List approvals",
  description:
    "Approvals that wait for a decision, newest first; `state` selects others: `expired` are those that nobody decided, or no call used, in time. A person's key lists what that person may decide; any other key lists all of the tenant's approvals.",
  scope: buildScope("approvals", "read"),
  query: z.object({
    ...pageQuery(z.string().regex(APPROVAL_ID, CURSOR_MESSAGE)),
    state: z
      .enum([...APPROVAL_STATES, "expired"])
      .meta({ default: "pending" })
      .exactOptional(),
  }),
  answers: {
    200: { description: "One page.", schema: z.object({ approvals: z.array(ListedApproval), nextCursor: NextCursor }) },
  },
  errors: {},
  example: { answer: { approvals: [{ ...example, link: null }], nextCursor: null } },
  async run({ principal, query }, { stores, reads, clock, vault, urls, travelers }: ApprovalPorts) {
    const owner = toOwner(principal);
    const decidableBy = await decidableFor(stores, owner, principal.personId);
    const { state = "pending", cursor: before } = query;
    const read = (limit: number) =>
      reads(owner.tenantId, ({ approvals }) => approvals.list([owner], { limit, before, state, decidableBy }));
    const { shown, nextCursor } = await readPage(query, read, ({ id }) => id);
    const { personId, scopes } = principal;
    const named = await nameApprovals({ stores, travelers }, { owner, scopes, now: clock.now() }, shown);
    const approvals = named.map((approval) => ({
      ...approval,
      link:
        personId === undefined
          ? null
          : buildApprovalLink(vault, new URL(urls.app).origin, { approvalId: approval.approvalId, personId }),
    }));
    return { approvals, nextCursor };
  },
});

const readApproval = defineRoute({
  id: "get_approval",
  method: "GET",
  path: "/api/approvals/:approvalId",
  tag: "approvals",
  summary: "Read an approval",
  description: "The request, its decision, and whether a call has used it.",
  scope: buildScope("approvals", "read"),
  params: ApprovalPath,
  answers: { 200: { description: "The approval.", schema: NamedApproval } },
  errors: { not_found: NOT_FOUND },
  example: { answer: example },
  async run({ principal, params, fail }, ports: ApprovalPorts) {
    const approval = await ports.stores.approvals.find([toOwner(principal)], params.approvalId);
    if (approval === undefined) throw fail("not_found");
    return await nameOne(ports, principal.scopes, approval);
  },
});

const decide = defineInternalRoute({
  id: "decide_approval",
  method: "POST",
  path: "/api/approvals/:approvalId/decision",
  tag: "approvals",
  summary: "Decide an approval",
  description:
    "Approves or rejects a pending request, or revokes an approval that no call has used yet. Requires the key of a person who has the role and is not the requester, or an internal token that names the decider in approvedBy. The first decision counts; a 409 says what it was.",
  scope: DECIDES_APPROVALS,
  params: ApprovalPath,
  body: z.strictObject({
    decision: z.enum(["approve", "reject", "revoke"]),
    reason: z.string().trim().min(1).max(LONGEST_REASON).describe("Stored, and shown to the requester").exactOptional(),
    approvedBy: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .describe("With an internal token only: the person who decided")
      .exactOptional(),
  }),
  answers: { 200: { description: "The decided approval.", schema: NamedApproval } },
  errors: {
    not_found: NOT_FOUND,
    may_not_decide: "Neither the requester nor a traveler may decide; the policy names the role that may.",
    conflict:
      "It is already decided, used, replaced or expired; `state` says which, and `decidedBy` names the decider.",
  },
  example: {
    body: { decision: "approve", reason: "The client pays." },
    answer: {
      ...example,
      state: "approved",
      decidedBy: "user_grace",
      decidedByName: "Grace Hopper",
      decidedAt: "2030-01-01T09:10:00Z",
    },
  },
  async run({ principals, params, body, fail }, ports: ApprovalPorts) {
    const { stores } = ports;
    const approval = await stores.approvals.find(principals.map(toOwner), params.approvalId);
    if (approval === undefined) throw fail("not_found");
    const { decision, reason, approvedBy } = body;
    const decider = toDecider(principals, approvedBy);
    const to = stateByDecision[decision];
    const decided = await decideApproval(stores, approval, decider, { to, reason });
    return await nameOne(ports, [DECIDES_APPROVALS], decided);
  },
});

export const approvalRoutes = [listApprovals, readApproval, decide];

async function nameOne(ports: ApprovalPorts, scopes: readonly string[], approval: Approval) {
  const reader = { owner: toOwner(approval), scopes, now: ports.clock.now() };
  const [named] = await nameApprovals(ports, reader, [approval]);
  if (named === undefined) throw new Error("An approval is named.");
  return named;
}

async function decidableFor(
  { persons }: ApprovalPorts["stores"],
  owner: ApprovalOwner,
  personId: string | undefined,
): Promise<ApprovalPage["decidableBy"]> {
  if (personId === undefined) return undefined;
  return { personId, roles: (await persons.find(owner, personId))?.roles ?? [] };
}

function toDecider(principals: readonly Principal[], approvedBy: string | undefined): Decider {
  const [first] = principals;
  if (first === undefined) throw unauthorized();
  if (first.isInternal === true) {
    if (approvedBy !== undefined) return { kind: "token", name: first.serviceAccountId, approvedBy };
    throw invalidInput([{ path: "approvedBy", message: "must name the person who decided" }]);
  }
  if (approvedBy !== undefined) {
    throw invalidInput([
      { path: "approvedBy", message: "is only for internal tokens; a key identifies its own person" },
    ]);
  }
  if (first.personId === undefined) throw unauthorized();
  return { kind: "person", personId: first.personId, with: "key" };
}
