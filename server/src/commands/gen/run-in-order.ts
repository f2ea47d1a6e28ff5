import type { catalog } from "../../contributions.ts";
import { sampleIds } from "../../domain/example-ids.ts";
import type { ToolEffect } from "../../domain/scopes.ts";

export type Entries = (typeof catalog)["entries"];
export type Tool = Entries[number]["tool"];

export interface RanExample {
  day: string;
  args: Readonly<Record<string, unknown>>;
  result: unknown;
}

/** Reads first: a later example must not find that an earlier one has used up what it needs. */
const EFFECT_ORDER: readonly ToolEffect[] = ["read", "write", "spend"];

/** Runs every example once, with the ids given by earlier ones (`gives` of a tool). */
export async function runInOrder(
  entries: Entries,
  today: Temporal.PlainDate,
  call: (tool: Tool, args: object) => Promise<unknown>,
): Promise<ReadonlyMap<string, RanExample>> {
  const rank = (tool: Tool) => EFFECT_ORDER.indexOf(tool.effect);
  const waiting = new Set(entries.map(({ tool }) => tool).toSorted((left, right) => rank(left) - rank(right)));
  const known = new Map<string, string>();
  const givers = new Map<string, Tool>();
  const ran = new Map<string, RanExample>();
  const isNeeded = (name: string, by: Tool) =>
    [...waiting].some((other) => other !== by && listExampleIds(other, today).includes(name));
  const canRun = (tool: Tool) =>
    listExampleIds(tool, today).every((name) => known.has(name)) && !tool.usesUp.some((name) => isNeeded(name, tool));
  /** A used-up id is replaced by running its giver again, for that id only. */
  const giverAgain = () =>
    [...waiting]
      .flatMap((tool) => listExampleIds(tool, today))
      .flatMap((name) => (known.has(name) ? [] : [givers.get(name)]))
      .find((giver) => giver !== undefined && canRun(giver));
  while (waiting.size > 0) {
    const tool = [...waiting].find(canRun) ?? giverAgain();
    if (tool === undefined) {
      const missing = [...waiting].map((one) => `${one.name} (${listExampleIds(one, today).join(", ")})`);
      throw new Error(`No example gives the ids that these name: ${missing.join("; ")}.`);
    }
    const isFirst = waiting.delete(tool);
    const args = tool.example(today, { ...sampleIds, ...Object.fromEntries(known) });
    const result = await call(tool, args);
    for (const [name, id] of Object.entries(tool.gives(result))) {
      if (id === undefined) known.delete(name);
      else known.set(name, id);
      if (id !== undefined) givers.set(name, tool);
    }
    if (isFirst) ran.set(tool.name, { day: today.toString(), args, result });
  }
  return ran;
}

/** The ids that a tool's example names. */
function listExampleIds(tool: Tool, today: Temporal.PlainDate): readonly string[] {
  const names = new Set<string>();
  const watched = new Proxy(sampleIds, {
    get(ids, name) {
      names.add(String(name));
      return Reflect.get(ids, name);
    },
  });
  tool.example(today, watched);
  return [...names];
}
