import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { requireResult } from "../../../test/support/treasury.ts";

let service: TestService;
let eraser: pg.Client;
beforeAll(async () => {
  service = await openSharedService();
  eraser = new pg.Client({ connectionString: service.config.databaseUrl });
  await eraser.connect();
});
afterAll(async () => {
  await eraser.end();
  await service[Symbol.asyncDispose]();
});

test("a run waits for the erasure of its user, and does not begin for somebody who is gone", async () => {
  const { tripId } = requireResult(await service.call("prefund_trip", { budgetUsdc: "50" }));
  const userId = "usr_erased_meanwhile";
  const send = (method: string, path: string, body: object) =>
    service.send(path, {
      method,
      headers: { "content-type": "application/json", authorization: `Bearer ${service.apiKey}` },
      body: JSON.stringify(body),
    });
  const put = await send("PUT", `/api/travelers/${userId}`, { givenName: "Gone", familyName: "Soon" });
  expect(put.status, put.text).toBe(201);
  await eraser.query("begin");
  for (const [table, column] of [
    ["traveler_profile", "user_id"],
    ["app_user", "id"],
  ]) {
    await eraser.query(`delete from ${table} where tenant_id = $1 and ${column} = $2`, [service.tenantId, userId]);
  }
  const departureDate = Temporal.Now.plainDateISO("UTC").add({ days: 60 }).toString();
  const input = { tripId, origin: "LHR", destination: "CDG", departureDate };
  const starting = send("POST", "/api/workflows/run", { workflowId: "service.book_flight", userId, input });
  const isWaiting = async () =>
    await service.sql(
      "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%insert into workflow_run%'",
    );
  await expect.poll(async () => (await isWaiting()).length).toBe(1);
  await eraser.query("commit");
  const answer = await starting;
  expect(answer.status).toBe(400);
  expect(answer.text).toContain("is not a user of this tenant");
  expect(await service.sql("select 1 from workflow_run where tenant_id = $1", [service.tenantId])).toEqual([]);
});
