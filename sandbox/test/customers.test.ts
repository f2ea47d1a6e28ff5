// Customer users and the groups that they are in.
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { startTestSandbox, type TestSandbox } from "./start.ts";
import { CustomerUser, parseData, parseError } from "./supplier.ts";

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await startTestSandbox();
});
afterAll(async () => {
  await sandbox?.close();
});

const Group = z.object({ id: z.string().startsWith("usg_0000"), name: z.string(), user_ids: z.array(z.string()) });
const User = CustomerUser.extend({ group: z.object({ id: z.string(), name: z.string() }).nullable() });
const GROUPS = "/identity/customer/user_groups";
const USERS = "/identity/customer/users";

let counter = 0;
const person = (changes: Record<string, unknown> = {}) => {
  counter += 1;
  return { email: `person${counter}@example.com`, given_name: "Amelia", family_name: "Earhart", ...changes };
};
const addUser = async (changes?: Record<string, unknown>) =>
  parseData(await sandbox.call("POST", USERS, person(changes)), User, 201);
const getUser = async (id: string) => parseData(await sandbox.call("GET", `${USERS}/${id}`), User);
const addGroup = async (name: string, userIds?: string[]) =>
  parseData(await sandbox.call("POST", GROUPS, { name, user_ids: userIds }), Group, 201);

test("a group is made with users, read, listed, changed and deleted; users say which group they are in", async () => {
  const [one, two] = [await addUser(), await addUser()];
  expect(one.group).toBeNull();
  const sales = await addGroup("Sales", [one.id]);
  expect(sales.user_ids).toEqual([one.id]);
  expect((await getUser(one.id)).group).toEqual({ id: sales.id, name: "Sales" });
  const path = `${GROUPS}/${sales.id}`;
  const changed = parseData(await sandbox.call("PATCH", path, { name: "Field sales", user_ids: [two.id] }), Group);
  expect(changed).toEqual({ id: sales.id, name: "Field sales", user_ids: [two.id] });
  expect((await getUser(one.id)).group).toBeNull();
  expect(parseData(await sandbox.call("PATCH", path, { name: "Sales" }), Group).user_ids).toEqual([two.id]);
  const empty = await addGroup("Nobody yet");
  expect(parseData(await sandbox.call("GET", GROUPS), z.array(Group)).map((group) => group.id)).toEqual([
    empty.id,
    sales.id,
  ]);
  expect((await sandbox.call("DELETE", path)).status).toBe(204);
  expect(parseError(await sandbox.call("GET", path))).toMatchObject({ status: 404 });
  expect(parseError(await sandbox.call("DELETE", path))).toMatchObject({ status: 404 });
  expect((await getUser(two.id)).group).toBeNull();
});

test("a user joins a group by its own record, and keeps it when an update does not speak of it", async () => {
  const group = await addGroup("Travellers");
  const user = await addUser({ group_id: group.id });
  expect(user.group).toEqual({ id: group.id, name: "Travellers" });
  const put = async (changes: Record<string, unknown>) =>
    parseData(await sandbox.call("PUT", `${USERS}/${user.id}`, person(changes)), User);
  expect((await put({ given_name: "Bessie" })).group).toEqual(user.group);
  expect((await put({ group_id: null })).group).toBeNull();
  expect((await put({ group_id: group.id })).group).toEqual(user.group);
  const found = parseData(await sandbox.call("GET", `${USERS}?email=PERSON${counter}@example.com`), z.array(User));
  expect(found.map((one) => [one.id, one.group?.id])).toEqual([[user.id, group.id]]);
});

test("unknown groups and users are refused, and nothing of the change remains", async () => {
  const user = await addUser();
  const group = await addGroup("Whole", [user.id]);
  expect(parseError(await sandbox.call("POST", USERS, person({ group_id: "usg_0000none" })))).toMatchObject({
    pointer: "/group_id",
  });
  expect(parseError(await sandbox.call("POST", GROUPS, { name: "Ghosts", user_ids: ["icu_0000none"] }))).toMatchObject({
    pointer: "/user_ids/0",
  });
  const names = parseData(await sandbox.call("GET", GROUPS), z.array(Group)).map((one) => one.name);
  expect(names).not.toContain("Ghosts");
  const change = { name: "Broken", user_ids: [user.id, "icu_0000none"] };
  expect(parseError(await sandbox.call("PATCH", `${GROUPS}/${group.id}`, change))).toMatchObject({
    pointer: "/user_ids/1",
  });
  expect(parseData(await sandbox.call("GET", `${GROUPS}/${group.id}`), Group)).toEqual(group);
  expect(parseError(await sandbox.call("POST", GROUPS, { name: "" }))).toMatchObject({ pointer: "/name" });
});

test("an e-mail address is had once by those in no group, and once in each group", async () => {
  const email = "Twice@example.com";
  const first = await addUser({ email });
  const taken = { status: 422, code: "emails_not_unique" };
  expect(parseError(await sandbox.call("POST", USERS, person({ email: "twice@example.com" })))).toMatchObject(taken);
  const group = await addGroup("Others");
  const second = await addUser({ email, group_id: group.id });
  expect(parseError(await sandbox.call("POST", USERS, person({ email, group_id: group.id })))).toMatchObject(taken);
  expect(
    parseError(await sandbox.call("PUT", `${USERS}/${second.id}`, person({ email, group_id: null }))),
  ).toMatchObject(taken);
  expect(
    parseError(await sandbox.call("PATCH", `${GROUPS}/${group.id}`, { user_ids: [first.id, second.id] })),
  ).toMatchObject(taken);
  const found = parseData(await sandbox.call("GET", `${USERS}?email=${email}`), z.array(User));
  expect(found.map(({ id }) => id).sort()).toEqual([first.id, second.id].sort());
  const both = [1, 2].map(() => sandbox.call("POST", USERS, person({ email: "race@example.com" })));
  expect((await Promise.all(both)).map(({ status }) => status).sort()).toEqual([201, 422]);
});
