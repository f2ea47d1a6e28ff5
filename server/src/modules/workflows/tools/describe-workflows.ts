import { z } from "zod";
import { defineTool } from "../context.ts";
import { describeWorkflow, WorkflowDescription } from "../describe-workflow.ts";

export const describeWorkflowsTool = defineTool({
  name: "describe_workflows",
  title: "Describe the workflows",
  summary: "List the workflows that run_workflow can run, each with its required and optional input, steps and pauses.",
  area: "workflows",
  effect: "read",
  price: 500n,
  payableWithoutKey: false,
  uses: ["workflows"],
  input: z.strictObject({}),
  output: z.object({ workflows: z.array(WorkflowDescription) }),
  errors: {},
  example: () => ({}),
  run: async (_input, { workflows }) => ({ workflows: workflows.workflowRunner.workflows.map(describeWorkflow) }),
});
