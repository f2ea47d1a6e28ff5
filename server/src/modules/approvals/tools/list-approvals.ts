import { z } from "zod";
import { CURSOR_MESSAGE, NextCursor, pageInput, readPage } from "../../../kernel/contracts/page.ts";
import { APPROVAL_STATES, toOwner } from "../approvals.ts";
import { defineTool } from "../context.ts";
import { ApprovalAnswer, describeApproval } from "../describe-approval.ts";

const Listed = ApprovalAnswer.pick({
  approvalId: true,
  state: true,
  tool: true,
  amount: true,
  role: true,
  requestedBy: true,
  requestedAt: true,
  expiresAt: true,
  decidedBy: true,
  reason: true,
});

export const listApprovals = defineTool({
  name: "list_approvals",
  title: "List approvals",
  summary: "List approvals, newest first; by default those that wait for a person.",
  area: "approvals",
  effect: "read",
  price: 500n,
  payableWithoutKey: false,
  uses: ["reads", "clock"],
  input: z.strictObject({
    ...pageInput(z.string().regex(/^apr_[0-9A-Z]{26}$/, CURSOR_MESSAGE)),
    state: z.enum(APPROVAL_STATES).default("pending"),
  }),
  output: z.object({
    approvals: z.array(Listed).readonly(),
    nextCursor: NextCursor,
  }),
  errors: {},
  example: () => ({ limit: 5 }),

  async run({ cursor: before, state, ...page }, { reads, clock, caller }) {
    const { shown, nextCursor } = await readPage(
      page,
      (limit) => reads(caller.tenantId, ({ approvals }) => approvals.list([toOwner(caller)], { limit, before, state })),
      ({ id }) => id,
    );
    return { approvals: shown.map((approval) => describeApproval(approval, clock.now())), nextCursor };
  },
});
