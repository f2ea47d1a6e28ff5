import { z } from "zod";
import { type DefineModule, defineAnyModule } from "../src/kernel/contracts/module.ts";
import { type DefineTool, defineAnyTool } from "../src/kernel/contracts/tool.ts";

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

export const sound = defineAnyTool({
  ...face,
  uses: ["clock"],
  example: () => ({ text: "a" }),
  async run({ text }, { clock, fail }) {
    clock.now();
    if (text.length > 3) throw fail("too_long");
    return { length: text.length };
  },
});

export const unlistedPort = defineAnyTool({
  ...face,
  uses: ["clock"],
  example: () => ({ text: "a" }),
  // @ts-expect-error a port that `uses` does not list
  async run({ text }, { flights }) {
    return { length: text.length + String(flights).length };
  },
});

export const undeclaredCode = defineAnyTool({
  ...face,
  uses: [],
  example: () => ({ text: "a" }),
  async run({ text }, { fail }) {
    // @ts-expect-error a code that `errors` does not declare
    if (text === "") throw fail("too_short");
    return { length: text.length };
  },
});

export const wrongOutput = defineAnyTool({
  ...face,
  uses: [],
  example: () => ({ text: "a" }),
  // @ts-expect-error an output of the wrong shape
  async run({ text }) {
    return { length: text };
  },
});

export const wrongExample = defineAnyTool({
  ...face,
  uses: [],
  // @ts-expect-error an example that does not fit the input
  example: () => ({ text: 1 }),
  async run({ text }) {
    return { length: text.length };
  },
});

const toy = { ...face, uses: ["stores", "clock"], example: () => ({ text: "a" }) } as const;
const defineLoneTool: DefineTool<"toy"> = defineAnyTool;
const defineNeedyTool: DefineTool<"toy" | "invitations" | "ledger" | "trips"> = defineAnyTool;
const defineLoneModule: DefineModule<"toy"> = defineAnyModule;
const defineNeedyModule: DefineModule<"toy" | "invitations" | "ledger"> = defineAnyModule;

export const undeclaredStores = defineLoneTool({
  ...toy,
  async run({ text }, { stores }) {
    // @ts-expect-error a store of a module that the toy does not need
    const readTrip = stores.trips.find;
    // @ts-expect-error the same in a transaction
    await stores.transaction(async ({ ledger }) => ledger);
    return { length: text.length + readTrip.length };
  },
});

export const declaredStores = defineNeedyTool({
  ...toy,
  async run({ text }, { stores }) {
    const readTrip = stores.trips.find;
    await stores.transaction(async ({ ledger }) => ledger);
    return { length: text.length + readTrip.length };
  },
});

export const undeclaredPort = defineLoneTool({
  ...toy,
  // @ts-expect-error a port of a module that the toy does not need
  uses: ["claimLinks"],
  run: async ({ text }) => ({ length: text.length }),
});

export const declaredPort = defineNeedyTool({
  ...toy,
  uses: ["claimLinks"],
  run: async ({ text }, { claimLinks }) => ({ length: text.length + claimLinks.defaultOrigin.length }),
});

export const undeclaredParts = defineLoneModule({
  name: "toy",
  // @ts-expect-error a part of a module that the toy does not need
  jobs: ({ measuredImbalance }) => measuredImbalance,
});

export const declaredParts = defineNeedyModule({
  name: "toy",
  start: async ({ measuredImbalance }) => void measuredImbalance,
});
