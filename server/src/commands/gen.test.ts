import { expect, it } from "vitest";
import { catalog } from "../app.ts";
import { runInOrder } from "./gen/run-in-order.ts";
import { shorten } from "./gen/shorten.ts";

// That the pages are the same wherever and whenever they are made is held by `gen --check`, a step of npm test.

const today = Temporal.PlainDate.from("2026-06-01");
const entry = (name: string) => catalog.entries.filter(({ tool }) => tool.name === name);

/** A registry in which ids flow: the last needs what the first gives, and would use it up before the second reads it. */
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

it("examples run when their ids are known, reads before what spends", async () => {
  const calls: string[] = [];
  const { entries, call } = chain(calls);
  const ran = await runInOrder(entries, today, call);
  expect(calls).toEqual(["find {}", 'look {"offerId":"off_found"}', 'book {"offerId":"off_found"}']);
  expect(ran.get("book")).toEqual({ day: "2026-06-01", args: { offerId: "off_found" }, result: { of: "book" } });
});

it("an example that names an id which no other example gives is refused, and says so", async () => {
  const { entries, call } = chain([]);
  await expect(runInOrder(entries.slice(0, 2), today, call)).rejects.toThrow(
    "No example gives the ids that these name: look (offerId); book (offerId).",
  );
});

it("long lists are shown by their first entry, and it is said which", () => {
  const value = { offers: [{ id: 1, bags: [{}, {}] }, {}, {}], names: ["a", "b", "c"], none: [] };
  expect(shorten(value)).toEqual({
    value: { offers: [{ id: 1, bags: [{}, {}] }], names: ["a", "b", "c"], none: [] },
    cut: [{ path: "offers", length: 3 }],
  });
  expect(shorten({ a: [{ b: [{}, {}, {}] }] }).cut).toEqual([{ path: "a[].b", length: 3 }]);
});
