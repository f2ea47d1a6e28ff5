import { z } from "zod";
import { jsonSchema } from "../../kernel/contracts/catalog.ts";
import type { Workflow } from "../../kernel/contracts/workflow.ts";

export const WorkflowDescription = z.object({
  workflowId: z.string(),
  version: z.int(),
  description: z.string(),
  inputSchema: z.record(z.string(), z.unknown()),
  steps: z.array(
    z.object({
      step: z.string(),
      description: z.string(),
      resolvedBy: z
        .enum(["caller", "person", "service"])
        .nullable()
        .describe(
          "Who resolves a pause: caller (with resume_run), person (who may decide approvals) or service (automatically)",
        ),
      resolutionSchema: z.record(z.string(), z.unknown()).nullable().describe("null: the step is a call"),
    }),
  ),
});

export function describeWorkflow({
  id,
  version,
  description,
  input,
  steps,
}: Workflow): z.output<typeof WorkflowDescription> {
  return {
    workflowId: id,
    version,
    description,
    inputSchema: { ...jsonSchema(input, "input") },
    steps: steps.map((step) => ({
      step: step.id,
      description: step.description,
      resolvedBy: step.resolvedBy ?? null,
      resolutionSchema: step.resolution === undefined ? null : { ...jsonSchema(step.resolution, "input") },
    })),
  };
}
