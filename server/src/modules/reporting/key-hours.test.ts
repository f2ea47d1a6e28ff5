import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { newId } from "../../domain/ids.ts";

let service: TestService;
beforeAll(async () => {
  service = await openSharedService();
});
afterAll(() => service?.[Symbol.asyncDispose]());

const Hours = z.object({
  beginsAt: z.string(),
  keys: z.array(z.object({ keyId: z.string(), calls: z.array(z.number()) })),
  isComplete: z.boolean(),
});

async function readHours() {
  const answer = await service.send("/api/usage/key-hours", { headers: { authorization: `Bearer ${service.apiKey}` } });
  expect(answer.status, answer.text).toBe(200);
  return Hours.parse(answer.body);
}

const mint = async (name: string) => {
  const key = { tenantId: service.tenantId, environment: "sandbox", name, scopes: ["*"], actor: "test" } as const;
  return await service.operator((identity) => identity.mintKey(key));
};

test("counts the charged calls of each key in the hour in which they were made", async () => {
  const [one, other] = [await mint("One"), await mint("Other")];
  const call = (key: string) => service.call("find_airports_nearby", { query: "London" }, { key });
  for (const { apiKey } of [one, one, one, other]) expect((await call(apiKey)).status).toBe(200);
  expect((await service.call("search_flights", {}, { key: one.apiKey })).status).toBe(400);
  const read = async () => {
    const { keys, beginsAt, isComplete } = await readHours();
    const sums = new Map(keys.map(({ keyId, calls }) => [keyId, calls]));
    return { beginsAt, isComplete, one: sums.get(one.key.id), other: sums.get(other.key.id) };
  };
  // A record is written with others, after the answer.
  await expect.poll(async () => (await read()).other?.reduce((sum, count) => sum + count, 0)).toBe(1);
  await expect.poll(async () => (await read()).one?.reduce((sum, count) => sum + count, 0)).toBe(3);
  const now = await read();
  expect(now.isComplete).toBe(true);
  expect(now.one).toHaveLength(24);
  // All in the last two hours, should one have ended meanwhile.
  expect(now.one?.slice(0, 22)).toEqual(Array.from({ length: 22 }, () => 0));
  const begin = Temporal.Instant.from(now.beginsAt);
  expect(begin.epochMilliseconds % 3_600_000).toBe(0);
  const ago = Temporal.Now.instant().since(begin).total("hours");
  expect(ago).toBeGreaterThanOrEqual(23);
  expect(ago).toBeLessThan(25);
});

test("calls of earlier days are not counted, and each key's in its place", async () => {
  const { key } = await mint("Earlier");
  const hoursAgo = (hours: number) => Temporal.Now.instant().subtract({ hours });
  for (const hours of [3, 3, 25]) {
    const at = hoursAgo(hours);
    const id = newId("use_", at.epochMilliseconds);
    await service.sql(
      `insert into usage_record (id, tenant_id, network, key_id, tool, surface, status, subject, list_price_micro, discount_percent, price_micro, trace_id, latency_ms, created_at, call_id)
       values ($1, $2, 'sandbox', $3, 'find_airports_nearby', 'dispatch', 'sandbox', 'svc:' || $3, 500, 0, 500, $4, 1, $5, $1)`,
      [id, service.tenantId, key.id, "0".repeat(32), at.toString()],
    );
  }
  const { beginsAt, keys } = await readHours();
  const calls = keys.find(({ keyId }) => keyId === key.id)?.calls ?? [];
  const place = Math.floor(hoursAgo(3).since(Temporal.Instant.from(beginsAt)).total("hours"));
  expect(calls.reduce((sum, count) => sum + count, 0)).toBe(2);
  expect((calls[place] ?? 0) + (calls[place - 1] ?? 0)).toBe(2);
});
