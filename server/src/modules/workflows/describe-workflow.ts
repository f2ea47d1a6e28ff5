import { z } from "zod";
import { jsonSchema } from "../../kernel/catalog.ts";
import type { Workflow } from "../../kernel/workflow.ts";

export const WorkflowDescription = z.object({
  workflowId: z.string(),
  version: z.int(),
  description: z.string(),
  inputSchema: z.record(z.string(), z.unknown()),
  steps: z.array(
    z.object({
      step: z.string(),
      description: z.string(),
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
    ...{ workflowId: id, version, description, inputSchema: { ...jsonSchema(input, "input") } },
    steps: steps.map((step) => ({
      ...{ step: step.id, description: step.description },
      resolutionSchema: step.resolution === undefined ? null : { ...jsonSchema(step.resolution, "input") },
    })),
  };
}
