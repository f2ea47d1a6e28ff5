import { z } from "zod";
import { defineTenantEvent } from "../../kernel/contracts/events.ts";

const Approval = z.object({
  approvalId: z.string().describe("For read_approval"),
  tool: z.string().describe("The call that waits for it"),
  role: z.string().describe("Anyone with this role may decide"),
  state: z.string(),
  amountUsd: z.string().optional(),
  expiresAt: z.string(),
});

const example = {
  approvalId: "apr_01KAJ2M5Q6R7S8T9V0W1X2Y3Z4",
  tool: "book_flight",
  role: "approver",
  state: "pending",
  amountUsd: "2810.00",
  expiresAt: "2030-01-02T09:00:00+00:00",
};

export const approvalEvents = [
  defineTenantEvent({
    type: "approval.requested",
    summary: "A call waits for a person's decision.",
    data: Approval,
    example,
  }),
  defineTenantEvent({
    type: "approval.decided",
    summary: "A person approved or rejected it; state says which.",
    data: Approval,
    example: { ...example, state: "approved" },
  }),
  defineTenantEvent({
    type: "approval.withdrawn",
    summary: "A decision is no longer needed: the request was revoked or replaced by a newer one.",
    data: Approval,
    example: { ...example, state: "replaced" },
  }),
];
