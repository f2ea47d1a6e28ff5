import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";

const NewKey = z.object({
  apiKey: z.string(),
  key: z.object({
    keyId: z.string(),
    scopes: z.array(z.string()),
    replaces: z.string().nullable(),
    limits: z.object({}).loose(),
  }),
});

let service: TestService;
beforeAll(async () => {
  service = await openSharedService();
});
afterAll(() => service?.[Symbol.asyncDispose]());

const send = (method: string, path: string, body?: unknown, key = service.operatorKey) =>
  service.send(path, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

async function mint(body: object) {
  const answer = await send("POST", "/api/keys", { name: "agent", ...body });
  expect(answer.status, answer.text).toBe(200);
  return NewKey.parse(answer.body);
}

/** Whether the key works, for what is read from the database. */
const works = async (key: string) => (await service.call("read_account", {}, { key })).status === 200;
const listed = async (keyId: string) => {
  const { body } = await send("GET", "/api/keys");
  return z
    .array(z.record(z.string(), z.unknown()))
    .parse(body.keys)
    .find((key) => key.keyId === keyId);
};

it("a new key has its scopes and its limits from the first call on", async () => {
  const { apiKey, key } = await mint({ scopes: ["treasury:spend", "account:read"], limits: { perCallUsdc: "1" } });
  expect(await works(apiKey)).toBe(true);
  const sent = await service.call(
    "send_tokens",
    { to: `0x${"7".repeat(40)}`, amount: "2", token: "USDC" },
    { key: apiKey },
  );
  expect(sent.body.code).toBe("spend_limit_exceeded");
  expect(await listed(key.keyId)).toMatchObject({ state: "active", limits: { perCallUsdc: "1.00" } });
  expect(JSON.stringify(await listed(key.keyId))).not.toContain(apiKey);
});

it("nobody makes or rotates a key with more scopes than their own", async () => {
  const scopes = ["keys:administer", "flights:read"];
  const small = await service.operator(async ({ persons, mintKey }) => {
    const owner = { tenantId: service.tenantId, environment: "sandbox" } as const;
    const person = { id: "user_small", name: "Small", email: "small@example.com", roles: ["developer"] } as const;
    await persons.add(owner, person, "test");
    return (await mintKey({ ...owner, personId: person.id, scopes, actor: "test" })).apiKey;
  });
  const { key } = await mint({ scopes: ["flights:spend"] });
  for (const asked of [{ scopes: ["flights:spend"] }, {}, { scopes: ["approvals:decide"] }]) {
    expect((await send("POST", "/api/keys", { name: "more", ...asked }, small)).body.code).toBe("invalid_input");
  }
  expect((await send("POST", "/api/keys", { name: "own", scopes: ["flights:read"] }, small)).status).toBe(200);
  expect((await send("POST", `/api/keys/${key.keyId}/rotate`, { overlapHours: 1 }, small)).body.code).toBe(
    "invalid_input",
  );
  expect((await send("POST", `/api/keys/${key.keyId}/revoke`, undefined, small)).status).toBe(200);
});

it("a request whose answer was lost, sent again, replaces the key that nobody saw", async () => {
  const requestId = "request-0001";
  const first = await mint({ requestId, scopes: ["account:read"] });
  const second = await mint({ requestId, scopes: ["account:read"] });
  expect(await listed(first.key.keyId)).toMatchObject({ state: "revoked" });
  expect(await works(first.apiKey)).toBe(false);
  await service.sql("update api_key set last_used_at = now() where id = $1", [second.key.keyId]);
  expect((await send("POST", "/api/keys", { name: "agent", requestId })).status).toBe(409);
  expect(await works(second.apiKey)).toBe(true);
});

it("a rotated key works until the overlap ends, and the audit log has both", async () => {
  const { apiKey, key } = await mint({ scopes: ["account:read"], limits: { perDayUsdc: "5" } });
  const answer = await send("POST", `/api/keys/${key.keyId}/rotate`, { overlapHours: 24 });
  const next = NewKey.parse(answer.body);
  expect([await works(apiKey), await works(next.apiKey)]).toEqual([true, true]);
  expect(next.key).toMatchObject({ replaces: key.keyId, scopes: ["account:read"], limits: { perDayUsdc: "5.00" } });
  expect((await listed(key.keyId))?.expiresAt).toBe(answer.body.oldEndsAt);
  const lines = await service.sql("select details from audit_log where action = 'key.rotate' and subject_id = $1", [
    key.keyId,
  ]);
  expect(lines).toMatchObject([{ details: { newKeyId: next.key.keyId } }]);
  const last = NewKey.parse((await send("POST", `/api/keys/${next.key.keyId}/rotate`, { overlapHours: 0 })).body);
  expect([await works(next.apiKey), await works(last.apiKey)]).toEqual([false, true]);
  expect((await send("POST", `/api/keys/${next.key.keyId}/rotate`, { overlapHours: 0 })).status).toBe(409);
  expect((await send("POST", `/api/keys/${last.key.keyId}/rotate`, { overlapHours: 25 })).body.code).toBe(
    "invalid_input",
  );
});
