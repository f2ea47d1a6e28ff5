import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { silentLog } from "../../../test/support/identity.ts";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { newFundedTenant, requireResult, stranger, UNIT } from "../../../test/support/treasury.ts";
import { parseDecimal } from "../../domain/money.ts";
import type { Environment } from "../../ports/identity.ts";
import { readLimits } from "./index.ts";
import { settleSpends } from "./settle-spends.ts";
import type { Limits } from "./spend-limits.ts";

let service: TestService;
beforeAll(async () => {
  service = await openSharedService();
});
afterAll(() => service?.[Symbol.asyncDispose]());

type Tenant = Awaited<ReturnType<typeof newFundedTenant>> & { keyId: string };

async function newTenant(limits: { key?: Partial<Limits>; tenant?: Partial<Limits> } = {}): Promise<Tenant> {
  const funded = await newFundedTenant(service, "Limited");
  const keys = await service.operator((operator) => operator.listKeys(funded.tenantId));
  const tenant = { ...funded, keyId: keys[0]?.id ?? "" };
  if (limits.key !== undefined) await setLimits(tenant, limits.key);
  if (limits.tenant !== undefined) await setLimits({ ...tenant, keyId: undefined }, limits.tenant);
  return tenant;
}

async function setLimits(
  { tenantId, keyId }: { tenantId: string; keyId: string | undefined },
  change: Partial<Limits>,
  environment: Environment = "sandbox",
): Promise<void> {
  await service.operator(({ spending: { spendLimits } }) =>
    spendLimits.set(tenantId, environment, keyId, change, "test"),
  );
}

const readState = ({ tenantId, keyId }: Tenant) =>
  service.operator(({ spending }) =>
    readLimits(spending, { tenantId, environment: "sandbox", keyId }, Temporal.Now.instant()),
  );

const send = (tenant: Tenant, amount: string, more: object = {}) =>
  service.call("send_tokens", { to: stranger(), amount, ...more }, tenant.as);

/** Sent by the wallet, as in the ledger. */
async function leftTheWallet({ tenantId }: Tenant): Promise<bigint> {
  const rows = await service.sql(
    `select coalesce(sum(-entry.amount_micro), 0)::text as amount
     from ledger_entry entry join ledger_account account on account.id = entry.account_id
     where account.tenant_id = $1 and account.kind = 'prefunded' and account.token = 'USDC' and entry.amount_micro < 0`,
    [tenantId],
  );
  return BigInt(z.object({ amount: z.string() }).parse(rows[0]).amount);
}

describe("64 parallel callers", () => {
  test.each([
    ["the key's day", { key: { perDay: 10n * UNIT } }, "perDay", "key"],
    ["the tenant's month", { tenant: { perMonth: 10n * UNIT } }, "perMonth", "tenant"],
  ] as const)("never pass %s", async (_name, limits, limit, limitOf) => {
    const tenant = await newTenant(limits);
    const answers = await Promise.all(Array.from({ length: 64 }, () => send(tenant, "3")));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    const refused = answers.filter(({ status }) => status === 402);
    expect(refused).toHaveLength(61);
    expect(refused[0]?.body).toMatchObject({ code: "spend_limit_exceeded", retryable: false, limit, limitOf });
    expect(await leftTheWallet(tenant)).toBe(9n * UNIT);
    const period = (await readState(tenant))[limitOf][limit];
    expect(period).toMatchObject({ limit: 10n * UNIT, used: 9n * UNIT, reserved: 0n, left: UNIT });
  });
});

describe("a limit", () => {
  test("on a single call names itself, and the same Idempotency-Key succeeds once it was raised", async () => {
    const tenant = await newTenant({ key: { perCall: 2n * UNIT } });
    const to = stranger();
    const call = () =>
      service.call("send_tokens", { to, amount: "2.5" }, { ...tenant.as, headers: { "idempotency-key": "raised" } });
    const refused = await call();
    expect([refused.status, refused.body]).toMatchObject([
      402,
      { code: "spend_limit_exceeded", limit: "perCall", limitOf: "key", limitUsdc: "2.00", neededUsdc: "2.50" },
    ]);
    expect(refused.body.detail).toContain(
      `npm run key -- limits --tenant ${tenant.tenantId} ${tenant.keyId} --per-call`,
    );
    await setLimits(tenant, { perCall: 3n * UNIT });
    expect((await call()).status).toBe(200);
    expect((await readState(tenant)).key.perDay.used).toBe(2_500_000n);
    expect(requireResult(await service.call("read_account", {}, tenant.as))).toMatchObject({
      limits: {
        mostForNextCallUsdc: "3.00",
        counting: expect.stringContaining("refund"),
        key: { perCallUsdc: "3.00", perDay: { limitUsdc: null, usedUsdc: "2.50" } },
      },
      budgets: [],
    });
  });

  test("is restored when a call fails before it did anything", async () => {
    const tenant = await newTenant({ key: { perDay: 1_000_000n * UNIT } });
    const broke = await send(tenant, "500000");
    expect(broke.body.code).toBe("insufficient_balance");
    const { address } = requireResult(await service.call("check_treasury", {}, tenant.as));
    const toItself = await service.call("send_tokens", { to: address, amount: "7" }, tenant.as);
    expect(toItself.body.code).toBe("invalid_input");
    expect((await readState(tenant)).key.perDay).toMatchObject({ used: 0n, reserved: 0n });
  });

  test("counts another token at the recorded rate, rounded up", async () => {
    const tenant = await newTenant({ key: { perDay: 1_000n * UNIT } });
    expect((await send(tenant, "10", { token: "EURC" })).status).toBe(200);
    const [row] = await service.sql(
      "select amount_micro::text as amount, conversions from call_spend where tenant_id = $1",
      [tenant.tenantId],
    );
    const { amount, conversions } = z
      .object({ amount: z.string(), conversions: z.array(z.record(z.string(), z.string())) })
      .parse(row);
    const [conversion] = conversions;
    expect(conversion).toMatchObject({
      token: "EURC",
      amount: "10.00",
      source: expect.any(String),
      asOf: expect.any(String),
    });
    expect(BigInt(amount)).toBe((10n * UNIT * (parseDecimal(conversion?.rate ?? "") ?? 0n)) / UNIT);
    expect((await readState(tenant)).tenant.perMonth.used).toBe(BigInt(amount));
  });

  test("on tools and recipients applies to reads and to money, and never excludes the service's own accounts", async () => {
    const friend = stranger();
    const tenant = await newTenant({
      key: { tools: ["send_tokens", "check_treasury", "settle_split"], recipients: [friend] },
    });
    const search = await service.call("find_airports_nearby", { query: "London" }, tenant.as);
    expect([search.status, search.body]).toMatchObject([
      402,
      { limit: "tools", allowed: expect.arrayContaining(["send_tokens"]) },
    ]);
    const drip = await service.call("faucet_drip", { address: friend }, tenant.as);
    expect(drip.body).toMatchObject({ code: "spend_limit_exceeded", limit: "tools" });
    expect((await service.call("check_treasury", {}, tenant.as)).status).toBe(200);
    const other = await send(tenant, "1");
    expect(other.body).toMatchObject({ code: "spend_limit_exceeded", limit: "recipients", allowed: [friend] });
    expect((await send(tenant, "1", { to: friend })).status).toBe(200);
    // The service's fee of a split goes to the collection account.
    const split = { supplier: friend, gross: "10", commissionBps: 0, serviceFeeBps: 100 };
    expect((await service.call("settle_split", split, tenant.as)).status).toBe(200);
  });

  test.each([
    ["without an Idempotency-Key", undefined],
    ["with one", "key"],
  ])("on tools that is changed elsewhere counts from the next write on, %s", async (_name, prefix) => {
    const tenant = await newTenant();
    let count = 0;
    const preview = async () =>
      requireResult(await service.call("preview_call", { tool: "save_traveler", args: traveler }, tenant.as)).accepted;
    const write = async () => {
      count += 1;
      const headers = prefix === undefined ? {} : { "idempotency-key": `${prefix}-${count}` };
      const { status, body } = await service.call("save_traveler", traveler, { ...tenant.as, headers });
      return [status, body.code, body.limitOf];
    };
    const traveler = { userId: "user_amelia", givenName: "Amelia", familyName: "Hart", bornOn: "1986-12-09" };
    const refused = [402, "spend_limit_exceeded"];
    for (let round = 0; round < 3; round += 1) {
      expect(await write()).toEqual([200, undefined, undefined]);
      await setLimits(tenant, { tools: ["preview_call"] });
      expect(await preview()).toBe(false);
      expect(await write()).toEqual([...refused, "key"]);
      await setLimits(tenant, { tools: undefined });
      expect(await preview()).toBe(true);
      expect(await write()).toEqual([200, undefined, undefined]);
      await setLimits({ ...tenant, keyId: undefined }, { tools: ["check_treasury"] });
      expect(await Promise.all([write(), write()])).toEqual([
        [...refused, "tenant"],
        [...refused, "tenant"],
      ]);
      await setLimits({ ...tenant, keyId: undefined }, { tools: undefined });
    }
    const [row] = await service.sql(
      "select count(*)::int as records from usage_record where tenant_id = $1 and tool = 'save_traveler'",
      [tenant.tenantId],
    );
    expect(row).toEqual({ records: 6 });
    const open = await service.sql("select 1 from call where tenant_id = $1 and state = 'reserved'", [tenant.tenantId]);
    expect(open).toEqual([]);
  });

  test("of production is separate from the sandbox", async () => {
    const tenant = await newTenant();
    await setLimits(tenant, { perDay: UNIT }, "production");
    expect((await send(tenant, "5")).status).toBe(200);
    const production = await service.operator(({ spending }) =>
      readLimits(spending, { ...tenant, environment: "production" }, Temporal.Now.instant()),
    );
    expect(production.key.perDay).toMatchObject({ limit: UNIT, used: 0n, left: UNIT });
    expect((await readState(tenant)).key.perDay).toMatchObject({ limit: undefined, used: 5n * UNIT });
  });
});

describe("a trip's budget", () => {
  test("counts at prefunding, and again only for a key that commits another key's money", async () => {
    const tenant = await newTenant({ tenant: { perDay: 120n * UNIT } });
    const { apiKey: otherKey, key: other } = await service.operator((operator) =>
      operator.mintKey({ tenantId: tenant.tenantId, environment: "sandbox", actor: "test" }),
    );
    await setLimits({ tenantId: tenant.tenantId, keyId: other.id }, { perDay: 30n * UNIT });
    const { tripId } = requireResult(await service.call("prefund_trip", { budgetUsdc: "100" }, tenant.as));
    expect((await service.call("prefund_trip", { budgetUsdc: "21" }, tenant.as)).body).toMatchObject({
      limit: "perDay",
      limitOf: "tenant",
      leftUsdc: "20.00",
    });
    const commit = async (vendorAmountUsdc: string, key = tenant.apiKey) => {
      const as = { key, tenantId: tenant.tenantId };
      const reserved = await service.call("reserve_booking", { tripId, upperBoundUsdc: "45" }, as);
      const { bookingId } = requireResult(reserved);
      const terms = {
        bookingId,
        vendorAmountUsdc,
        vendorAddress: stranger(),
        itineraryHash: stranger().padEnd(66, "0"),
      };
      return await service.call("commit_booking", terms, as);
    };
    expect((await commit("40")).status).toBe(200);
    expect((await readState(tenant)).tenant.perDay.used).toBe(100n * UNIT);
    expect((await readState(tenant)).key.perDay.used).toBe(100n * UNIT);
    expect((await commit("31", otherKey)).body).toMatchObject({ limit: "perDay", limitOf: "key", limitUsdc: "30.00" });
    expect((await readState(tenant)).tenant.perDay).toMatchObject({ used: 100n * UNIT, reserved: 0n });
  });
});

test("a spend whose effect failed is returned in the transaction that says so, while its call still runs", async () => {
  const tenant = await newTenant({ key: { perDay: 10n * UNIT } });
  expect((await send(tenant, "4")).status).toBe(200);
  const [{ id } = { id: "" }] = z
    .array(z.object({ id: z.string() }))
    .parse(await service.sql("select call_id as id from call_spend where tenant_id = $1", [tenant.tenantId]));
  await service.sql("update call set state = 'reserved', effect = 'open' where id = $1", [id]);
  await service.sql("update call_spend set state = 'reserved' where call_id = $1", [id]);
  await service.operator(({ spending }) => spending.transaction(({ effects }) => effects.failed(id)));
  expect((await readState(tenant)).key.perDay).toMatchObject({ used: 0n, reserved: 0n, left: 10n * UNIT });
});

describe("a call that ended without its process", () => {
  const readSpend = async (tenant: Tenant) => {
    const rows = await service.sql("select state, call_id from call_spend where tenant_id = $1", [tenant.tenantId]);
    return z.array(z.object({ state: z.string(), call_id: z.string() })).parse(rows);
  };

  test("returns its reservation if it did nothing, and keeps it while its effect is open", async () => {
    const tenant = await newTenant({ key: { perDay: 10n * UNIT } });
    expect((await send(tenant, "4")).status).toBe(200);
    const [{ call_id: callId } = { call_id: "" }] = await readSpend(tenant);
    // As after a kill between the reservation and the effect, once the call was swept.
    const leave = (state: string, effect: string) =>
      service.sql("update call set state = $2, effect = $3 where id = $1", [callId, state, effect]);
    const settled = () =>
      service.operator(async ({ spending }) => {
        await settleSpends(spending, silentLog);
        return await readSpend(tenant);
      });
    await service.sql("update call_spend set state = 'reserved' where call_id = $1", [callId]);
    await leave("reserved", "none");
    expect(await settled()).toMatchObject([{ state: "reserved" }]);
    await leave("released", "open");
    expect(await settled()).toMatchObject([{ state: "reserved" }]);
    expect((await readState(tenant)).key.perDay).toMatchObject({ used: 0n, reserved: 4n * UNIT, left: 6n * UNIT });
    await leave("released", "none");
    expect(await settled()).toMatchObject([{ state: "released" }]);
    expect((await readState(tenant)).key.perDay).toMatchObject({ used: 0n, reserved: 0n, left: 10n * UNIT });
  });

  test("reserves again if it was only slow, or does nothing if others have used the rest up", async () => {
    const tenant = await newTenant({ key: { perDay: 10n * UNIT } });
    expect((await send(tenant, "6")).status).toBe(200);
    const [{ call_id: callId } = { call_id: "" }] = await readSpend(tenant);
    await service.sql("update call set state = 'released', effect = 'none' where id = $1", [callId]);
    await service.sql("update call_spend set state = 'reserved' where call_id = $1", [callId]);
    const open = () => service.operator(({ spending }) => spending.transaction(({ effects }) => effects.open(callId)));
    await service.operator(({ spending }) => settleSpends(spending, silentLog));
    await open();
    expect((await readState(tenant)).key.perDay.reserved).toBe(6n * UNIT);
    await service.sql("update call set state = 'released', effect = 'none' where id = $1", [callId]);
    await service.operator(({ spending }) => settleSpends(spending, silentLog));
    expect((await send(tenant, "5")).status).toBe(200);
    await expect(open()).rejects.toMatchObject({ code: "spend_limit_exceeded" });
    expect((await readState(tenant)).key.perDay).toMatchObject({ used: 5n * UNIT, reserved: 0n });
  });
});
