import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { generatedFolder, renderBindings } from "../scripts/compile.ts";

it("the committed bindings are what the sources compile to", () => {
  const committed = new Map(
    readdirSync(generatedFolder).map((name) => [name, readFileSync(join(generatedFolder, name), "utf8")]),
  );
  const fresh = renderBindings();
  const stale = [...new Set([...committed.keys(), ...fresh.keys()])].filter(
    (name) => committed.get(name) !== fresh.get(name),
  );
  // If not: node contracts/scripts/compile.ts
  expect(stale).toEqual([]);
});
