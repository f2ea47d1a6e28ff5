import { z } from "zod";
import { defineTool } from "../src/kernel/tool.ts";

/** Compiled, never run: each marked line must be an error, or the compiler stops with "unused @ts-expect-error". */
const face = {
  name: "probe",
  title: "Probe",
  summary: "Probe.",
  area: "trip",
  effect: "read",
  price: 1n,
  payableWithoutKey: false,
  input: z.strictObject({ text: z.string() }),
  output: z.object({ length: z.number() }),
  errors: { too_long: "Send less." },
} as const;

export const sound = defineTool({
  ...face,
  uses: ["clock"],
  example: () => ({ text: "a" }),
  async run({ text }, { clock, fail }) {
    clock.now();
    if (text.length > 3) throw fail("too_long");
    return { length: text.length };
  },
});

export const unlistedPort = defineTool({
  ...face,
  uses: ["clock"],
  example: () => ({ text: "a" }),
  // @ts-expect-error a port that `uses` does not list
  async run({ text }, { flights }) {
    return { length: text.length + String(flights).length };
  },
});

export const undeclaredCode = defineTool({
  ...face,
  uses: [],
  example: () => ({ text: "a" }),
  async run({ text }, { fail }) {
    // @ts-expect-error a code that `errors` does not declare
    if (text === "") throw fail("too_short");
    return { length: text.length };
  },
});

export const wrongOutput = defineTool({
  ...face,
  uses: [],
  example: () => ({ text: "a" }),
  // @ts-expect-error an output of the wrong shape
  async run({ text }) {
    return { length: text };
  },
});

export const wrongExample = defineTool({
  ...face,
  uses: [],
  // @ts-expect-error an example that does not fit the input
  example: () => ({ text: 1 }),
  async run({ text }) {
    return { length: text.length };
  },
});
