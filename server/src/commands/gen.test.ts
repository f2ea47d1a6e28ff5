import { expect, it } from "vitest";
import { catalog } from "../contributions.ts";
import { runInOrder } from "./gen/run-in-order.ts";
import { renderTables } from "./gen/table-types.ts";
import { shorten } from "./gen/tool-pages.ts";

// `gen --check`, a step of npm test, checks that the pages do not depend on when and where they are made.

const today = Temporal.PlainDate.from("2026-06-01");
const entry = (name: string) => catalog.entries.filter(({ tool }) => tool.name === name);

/** A registry with dependent ids: the last tool needs what the first gives, and would use it up before the second reads it. */
function chain(calls: string[]) {
  const [search] = entry("search_flights");
  if (search === undefined) throw new Error("There is no search.");
  const tool = (name: string, effect: "read" | "spend", needs: boolean, offerId?: string) => ({
    ...search,
    tool: {
      ...search.tool,
      name,
      effect,
      example: (_today: Temporal.PlainDate, ids: { offerId: string } = { offerId: "" }) =>
        needs ? { offerId: ids.offerId } : {},
      gives: () => (offerId === undefined ? {} : { offerId }),
    },
  });
  const entries = [tool("book", "spend", true), tool("look", "read", true), tool("find", "read", false, "off_found")];
  const call = async ({ name }: { name: string }, args: object) => {
    calls.push(`${name} ${JSON.stringify(args)}`);
    return { of: name };
  };
  return { entries, call };
}

it("examples run once their ids are known, reads before spending ones", async () => {
  const calls: string[] = [];
  const { entries, call } = chain(calls);
  const ran = await runInOrder(entries, today, call);
  expect(calls).toEqual(["find {}", 'look {"offerId":"off_found"}', 'book {"offerId":"off_found"}']);
  expect(ran.get("book")).toEqual({ day: "2026-06-01", args: { offerId: "off_found" }, result: { of: "book" } });
});

it("an example with an id that no other example gives is refused with a message", async () => {
  const { entries, call } = chain([]);
  await expect(runInOrder(entries.slice(0, 2), today, call)).rejects.toThrow(
    "No example gives the ids that these name: look (offerId); book (offerId).",
  );
});

it("long lists are shown by their first entry and marked as cut", () => {
  const value = { offers: [{ id: 1, bags: [{}, {}] }, {}, {}], names: ["a", "b", "c"], none: [] };
  expect(shorten(value)).toEqual({
    value: { offers: [{ id: 1, bags: [{}, {}] }], names: ["a", "b", "c"], none: [] },
    cut: [{ path: "offers", length: 3 }],
  });
  expect(shorten({ a: [{ b: [{}, {}, {}] }] }).cut).toEqual([{ path: "a[].b", length: 3 }]);
});

const column = (name: string, rest: Partial<Parameters<typeof renderTables>[0][number]> = {}) => ({
  table: "lost_bag",
  column: name,
  type: "text",
  isNullable: false,
  hasDefault: false,
  isIdentity: false,
  check: null,
  ...rest,
});

it("table types follow from the catalogue and from the modules' declarations", () => {
  const check = "CHECK ((state = ANY (ARRAY['lost'::text, 'found'::text])))";
  const columns = [
    column("id", { type: "bigint", isIdentity: true }),
    column("state", { check, hasDefault: true }),
    column("found_at", { type: "timestamp with time zone", isNullable: true }),
    column("content_hash"),
  ];
  const text = renderTables(columns, new Map([["lost_bag.content_hash", "Hex"]]));
  expect(text).toContain(
    [
      "export interface LostBagTable {",
      "  id: GeneratedAlways<bigint>;",
      '  state: Defaulted<"lost" | "found">;',
      "  foundAt: Timestamp | null;",
      "  contentHash: Hex;",
      "}",
    ].join("\n"),
  );
  expect(text).toContain("  lostBag: LostBagTable;\n");
});

it.each([
  [column("wrongName"), new Map(), "The column lost_bag.wrongName has a name that does not come back."],
  [column("at", { type: "interval" }), new Map(), "lost_bag.at has an unknown type: interval."],
  [
    column("id"),
    new Map([["lost_bag.hash", "Hex"]]),
    "No table has these columns, whose types are given: lost_bag.hash.",
  ],
])("a column whose type cannot be written is refused, and it is said which: %#", (odd, narrower, message) => {
  expect(() => renderTables([odd], narrower)).toThrow(message);
});
