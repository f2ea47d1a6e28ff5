import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Answer, startTestService, type TestService } from "../../../test/support/service.ts";

const SLOW_AT_ONCE = 12;

let service: TestService;
let blocker: pg.Client;

beforeAll(async () => {
  service = await startTestService({ DATABASE_READ_TIMEOUT_MS: "1500" });
  blocker = new pg.Client({ connectionString: service.config.databaseUrl });
  await blocker.connect();
});
afterAll(async () => {
  await blocker?.end();
  await service?.[Symbol.asyncDispose]();
});

const get = (path: string, key: string): Promise<Answer> =>
  service.send(path, { headers: { authorization: `Bearer ${key}` } });

test("a tenant with slow lists delays neither the calls nor the lists of others", async () => {
  const other = await service.operator((identity) => identity.createTenant({ name: "Other", actor: "test" }));
  const of = { key: other.apiKey, tenantId: other.tenant.id };
  await service.isFunded(of.tenantId);
  // The slowest possible list: it never ends by itself.
  await blocker.query("begin; lock table approval in access exclusive mode");
  let areDone = false;
  const slow = Promise.all(Array.from({ length: SLOW_AT_ONCE }, () => get("/api/approvals", service.apiKey)));
  void slow.then(() => {
    areDone = true;
  });
  const answers: Answer[] = [];
  while (!areDone) {
    answers.push(await service.call("timezone_brief", { latitude: 52.5, longitude: 13.4 }, of));
    answers.push(await get("/api/usage?tool=timezone_brief", of.key));
  }
  await blocker.query("rollback");
  expect(answers.length).toBeGreaterThan(1);
  expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
  for (const answer of await slow) {
    expect(answer.status, answer.text).toBe(503);
    expect(answer.body).toMatchObject({ code: "unavailable", retryable: true });
    expect(answer.body.detail).toMatch(/^Reading this list took longer than the allowed 1500 ms/);
    expect(answer.headers.get("retry-after")).toBe("2");
  }
  expect((await get("/api/approvals", service.apiKey)).status).toBe(200);
});
