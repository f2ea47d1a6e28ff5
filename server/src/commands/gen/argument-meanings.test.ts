import { expect, test } from "vitest";
import { catalog } from "../../contributions.ts";
import { listArguments } from "./list-arguments.ts";

const all = catalog.entries.flatMap(({ tool, inputSchema }) =>
  listArguments(tool.name, inputSchema).map((argument) => ({ tool: tool.name, ...argument })),
);

test("the documentation describes every argument of every tool, nested ones too", () => {
  expect(all.length).toBeGreaterThan(400);
  const silent = all.filter(({ meaning }) => meaning === undefined).map(({ tool, path }) => `${tool} ${path}`);
  expect(silent).toEqual([]);
});
