import { z } from "zod";
import { defineTenantEvent } from "../../kernel/contracts/events.ts";

const Run = z.object({
  runId: z.string().describe("For read_run"),
  workflowId: z.string(),
  status: z.string(),
  tripId: z.string().optional(),
});

const kind = (status: string, summary: string) =>
  defineTenantEvent({
    type: `run.${status}`,
    summary,
    data: Run,
    example: { runId: "run_01KAJ2M5Q6R7S8T9V0W1X2Y3Z4", workflowId: "service.book_flight", status },
  });

export const runEvents = [
  kind("paused", "A run is waiting for a person or an event; see read_run."),
  kind("completed", "A run completed."),
  kind("failed", "A run failed: read_run has the reason and what was undone."),
];
