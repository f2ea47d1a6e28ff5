import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createManualClock, silentLog } from "../../../test/support/identity.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/support/test-database.ts";
import { type OpenDatabase, openDatabase } from "../database/database.ts";
import { createInbox } from "./store-inbox.ts";
import { NotYet, workOnInbox } from "./work-on-inbox.ts";

interface Letter {
  id: string;
  thread: string;
  text: string;
}

let database: TestDatabase;
let opened: OpenDatabase;
let clock: ReturnType<typeof createManualClock>;

beforeAll(async () => {
  database = await createTestDatabase();
  opened = openDatabase(database.url, { poolSize: 8, onError: () => undefined });
  await sql`
    create table letter (
      network text not null, id text not null, thread text not null, text text not null, received_at timestamptz not null,
      next_at timestamptz not null, attempts integer not null default 0, finished_at timestamptz, outcome text, last_reason text,
      primary key (network, id)
    )`.execute(opened.db);
});
afterAll(async () => {
  await opened?.close();
  await database?.drop();
});
beforeEach(async () => {
  clock = createManualClock();
  await sql`truncate letter`.execute(opened.db);
});

const inboxBy = (conversation?: string) =>
  createInbox<Letter, Letter & { attempts: number }>(opened.db, clock, {
    name: "letter",
    columns: ["thread", "text"],
    toItem: ({ id, thread, text }) => ({ id, thread, text }),
    ...(conversation === undefined ? {} : { conversation }),
  });

/** One a second. */
async function receive(...letters: readonly (readonly [id: string, thread: string])[]): Promise<void> {
  for (const [id, thread] of letters) {
    clock.advance({ seconds: 1 });
    await inboxBy().receive("sandbox", { id, thread, text: `text of ${id}` }, clock.now());
  }
}

const workOn = (handle: (letter: Letter) => Promise<string>, conversation?: string) =>
  workOnInbox({ name: "letters", inbox: inboxBy(conversation), environment: "sandbox", handle, clock, log: silentLog });

async function readOutcomes(): Promise<Record<string, string | null>> {
  const { rows } = await sql<{ id: string; outcome: string | null }>`select id, outcome from letter`.execute(opened.db);
  return Object.fromEntries(rows.map(({ id, outcome }) => [id, outcome]));
}

test("a repeated item is stored and handled once, even by several workers at the same time", async () => {
  const letter = { id: "1", thread: "a", text: "hello" };
  const arrivals = [1, 2, 3].map(() => inboxBy().receive("sandbox", letter, clock.now()));
  expect((await Promise.all(arrivals)).filter((isNew) => isNew)).toHaveLength(1);
  const handled: Letter[] = [];
  const handle = async (one: Letter) => {
    handled.push(one);
    return "read";
  };
  const counts = await Promise.all([workOn(handle), workOn(handle), workOn(handle)]);
  expect(counts.toSorted()).toEqual([0, 0, 1]);
  expect(handled).toMatchObject([letter]);
  expect(await readOutcomes()).toEqual({ 1: "read" });
});

test("an item of a dead worker is leased again after its lease, and one of the other environment never", async () => {
  await receive(["1", "a"]);
  await inboxBy().receive("production", { id: "2", thread: "a", text: "" }, clock.now());
  const take = () => inboxBy().take("sandbox", 10, clock.now().add({ minutes: 2 }));
  expect(await take()).toMatchObject([{ id: "1", attempts: 1 }]);
  clock.advance({ seconds: 119 });
  expect(await take()).toEqual([]);
  clock.advance({ seconds: 1 });
  expect(await take()).toMatchObject([{ id: "1", attempts: 2 }]);
});

test("a failing item is retried at growing intervals, and finally given up", async () => {
  await receive(["1", "a"]);
  let attempts = 0;
  const handle = async () => {
    attempts += 1;
    throw attempts === 1 ? new NotYet("something else comes first") : new Error("no luck");
  };
  expect(await workOn(handle)).toBe(1);
  expect(await workOn(handle)).toBe(0);
  clock.advance({ seconds: 1 });
  expect(await workOn(handle)).toBe(1);
  clock.advance({ seconds: 1 });
  expect(await workOn(handle)).toBe(0);
  for (let hour = 0; hour < 30; hour += 1) {
    clock.advance({ hours: 1 });
    await workOn(handle);
  }
  expect(attempts).toBe(18);
  expect(await readOutcomes()).toEqual({ 1: "given up: no luck" });
});

test("items of a conversation are handled in order: a waiting one blocks its own conversation only", async () => {
  await receive(["3", "a"], ["2", "a"], ["1", "b"], ["4", "a"]);
  const handled: string[] = [];
  let isHeld = true;
  const handle = async ({ id }: Letter) => {
    if (id === "2" && isHeld) throw new NotYet("not now");
    handled.push(id);
    return "read";
  };
  await Promise.all([workOn(handle, "thread"), workOn(handle, "thread")]);
  expect(handled.toSorted()).toEqual(["1", "3"]);
  isHeld = false;
  clock.advance({ seconds: 1 });
  await Promise.all([workOn(handle, "thread"), workOn(handle, "thread")]);
  expect(handled.slice(2)).toEqual(["2", "4"]);
});
