import { expect, test } from "vitest";
import { PlanReads } from "./plan-reads.ts";

test("a run takes what its own call's plan has read, once", async () => {
  const rows = new PlanReads<string>();
  const [caller, other] = [{}, {}];
  let reads = 0;
  const read = async () => {
    reads += 1;
    return `read ${reads}`;
  };
  expect(await rows.read(caller, "a", read)).toBe("read 1");
  expect(await rows.take(other, "a", read), "of another call").toBe("read 2");
  expect(await rows.take(caller, "b", read), "another row").toBe("read 3");
  expect(await rows.take(caller, "a", read), "the plan's").toBe("read 1");
  expect(await rows.take(caller, "a", read), "no second time").toBe("read 4");
});

test("a gate looks at what the plan has read, and leaves it for the run", async () => {
  const rows = new PlanReads<string>();
  const caller = {};
  await rows.read(caller, "a", async () => "the plan's");
  expect(await rows.peek(caller, "a", async () => "read again")).toBe("the plan's");
  expect(await rows.peek(caller, "b", async () => "read now"), "another row").toBe("read now");
  expect(await rows.take(caller, "a", async () => "read again")).toBe("the plan's");
});

test("a later plan of the same call replaces the row", async () => {
  const rows = new PlanReads<string | undefined>();
  const caller = {};
  await rows.read(caller, "a", async () => "old");
  await rows.read(caller, "a", async () => undefined);
  expect(await rows.take(caller, "a", async () => "read again"), "nothing was found").toBeUndefined();
});
