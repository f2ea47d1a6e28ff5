import { z } from "zod";
import { defineAnyTool } from "../../server/src/kernel/contracts/tool.ts";

const face = {
  summary: "Answers its text.",
  area: "trip",
  payableWithoutKey: true,
  uses: [],
  input: z.strictObject({ text: z.string().max(1000) }),
  output: z.object({ text: z.string() }),
  errors: {},
  example: () => ({ text: "hello" }),
} as const;

export const probeTools = [
  defineAnyTool({
    ...face,
    name: "probe_read",
    title: "Probe (read)",
    effect: "read",
    price: 500n,
    run: async ({ text }) => ({ text }),
  }),
  defineAnyTool({
    ...face,
    name: "probe_write",
    title: "Probe (write)",
    effect: "write",
    price: 5_000n,
    run: async ({ text }) => ({ text }),
  }),
];
