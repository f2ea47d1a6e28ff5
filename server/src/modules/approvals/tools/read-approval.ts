import { z } from "zod";
import { wordsOfOthers } from "../../../domain/schemas.ts";
import { toOwner } from "../approvals.ts";
import { defineTool } from "../context.ts";
import { listDeciders } from "../decide-approval.ts";
import { ApprovalAnswer, describeApproval } from "../describe-approval.ts";
import { nameDeciders } from "../find-deciders.ts";

const Person = z.object({ userId: z.string(), name: wordsOfOthers() });

export const readApproval = defineTool({
  name: "read_approval",
  title: "Read an approval",
  summary: "Show an approval that a refused call asked for: state, deciders, decision and reason.",
  area: "approvals",
  effect: "read",
  price: 500n,
  payableWithoutKey: false,
  uses: ["stores", "clock", "approvalDirections"],
  input: z.strictObject({
    approvalId: z.string().optional().describe("From the refusal; default: the newest"),
  }),
  output: z.object({
    approval: ApprovalAnswer.nullable().describe("null: no call has asked for one yet"),
    decidedByName: wordsOfOthers()
      .nullable()
      .describe("null: undecided, or the decider no longer belongs to the tenant"),
    deciders: z.array(Person).readonly().describe("People who may decide it now; empty once decided"),
    next: z.string(),
  }),
  errors: { approval_not_found: "You have no such approval. list_approvals gives the ids." },
  example: () => ({}),

  async run({ approvalId }, { stores, clock, approvalDirections, caller, fail }) {
    const owner = toOwner(caller);
    const found =
      approvalId === undefined
        ? await stores.approvals.findNewest(owner)
        : await stores.approvals.find([owner], approvalId);
    if (found === undefined) {
      if (approvalId !== undefined) throw fail("approval_not_found");
      return { approval: null, decidedByName: null, deciders: [], next: "No call has asked for an approval yet." };
    }
    const approval = describeApproval(found, clock.now());
    const decider = found.decidedBy === undefined ? undefined : await stores.persons.find(owner, found.decidedBy);
    const may =
      approval.state === "pending"
        ? await nameDeciders(await listDeciders(stores, found), found, approvalDirections)
        : { deciders: [], says: NEXT[approval.state] };
    return { approval, decidedByName: decider?.name ?? null, deciders: may.deciders, next: may.says };
  },
});

const NEXT: Readonly<Record<Exclude<z.output<typeof ApprovalAnswer>["state"], "pending">, string>> = {
  approved: "Send the same call again before expiresAt: it succeeds once.",
  rejected: "Choose something else: nobody is asked about the same again before expiresAt.",
  revoked: "Choose something else: nobody is asked about the same again before expiresAt.",
  replaced:
    "It is no longer needed: the call changed and a newer approval replaced it (see list_approvals), or the run that asked was cancelled.",
  used: "Nothing to do: a call has used it.",
  expired: "Send the same call again: it asks for a new approval.",
};
