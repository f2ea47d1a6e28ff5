import { afterAll, beforeAll, expect, it } from "vitest";
import { day } from "../../../test/support/approval-desk.ts";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";

/** Erasing and saving the profile again does not free a traveler from a budget or policy that names them. */

let service: TestService;
beforeAll(async () => {
  service = await openSharedService();
});
afterAll(() => service?.[Symbol.asyncDispose]());

const USER = "user_cy";
const send = (method: string, path: string, body: object | undefined, key: string) =>
  service.send(path, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
const asPerson = async (path: string, body: object) => {
  const answer = await send("PUT", path, body, service.operatorKey);
  expect(answer.status, answer.text).toBeLessThan(300);
};
const erase = () => send("DELETE", `/api/travelers/${USER}`, undefined, service.apiKey);
const save = () =>
  service.call("save_traveler", { userId: USER, givenName: "Cy", familyName: "Tester", bornOn: "1990-01-01" });

const budget = (more: object) => asPerson("/api/budgets", { budgetId: "small", amountUsdc: "20", ...more });
const policy = (document: object) => asPerson("/api/policies/named", { document });

it.each([
  ["a budget", () => budget({ travelerIds: [USER] }), () => budget({ travelerIds: ["user_demo"] }), "budget small"],
  [
    "a policy by whom it lets book",
    () => policy({ booking: { allowed: [{ booker: "*", travelers: [USER] }] } }),
    () => policy({ booking: { allowed: [{ booker: "*", travelers: "self" }] } }),
    "policy named",
  ],
  [
    "a rule of a policy",
    () => policy({ rules: [{ id: "cy", severity: "deny", when: { kind: "flight", travelers: [USER] } }] }),
    () => policy({}),
    "policy named",
  ],
])("%s keeps the traveler until a person takes the name out of it", async (_what, name, takeOut, rule) => {
  expect((await save()).status).toBe(200);
  await name();
  const refused = await erase();
  expect([refused.status, refused.body]).toMatchObject([409, { code: "conflict", rules: [rule] }]);
  expect(refused.body.detail).toContain("policy:administer");
  expect((await send("GET", `/api/travelers/${USER}`, undefined, service.apiKey)).status).toBe(200);
  await takeOut();
  const erased = await erase();
  expect(erased.status, erased.text).toBe(200);
});

it("an ended budget keeps nobody", async () => {
  expect((await save()).status).toBe(200);
  await budget({ travelerIds: [USER], startsOn: day(-20), endsOn: day(-10) });
  expect((await erase()).status).toBe(200);
});
