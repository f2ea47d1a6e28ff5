import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { createProbes } from "../../../test/support/probe-tools.ts";
import { startTestService, type TestService } from "../../../test/support/service.ts";
import { createGroupCommit } from "../../platform/batching/group-commit.ts";

const probes = createProbes();
let service: TestService;

beforeAll(async () => {
  service = await startTestService({}, { extraTools: probes.tools });
});
afterAll(() => service?.[Symbol.asyncDispose]());

const CALLERS = 64;

async function books(tenantId = service.tenantId) {
  const [row] = await service.sql(
    `select (select coalesce(sum(price_micro), 0) from usage_record where tenant_id = $1)::text as recorded,
       (select coalesce(sum(price_micro), 0) from call where tenant_id = $1 and state = 'reserved')::text as reserved,
       (select coalesce(sum(spent_micro), 0) from tenant_spend where tenant_id = $1)::text as spent`,
    [tenantId],
  );
  return row;
}

/** A tenant that can pay this much and no more. */
async function tenantWithCap(monthlyCapMicroUsdc: bigint): Promise<{ tenantId: string; key: string }> {
  const { tenant, apiKey } = await service.operator((identity) =>
    identity.createTenant({ name: "Capped", monthlyCapMicroUsdc, actor: "test" }),
  );
  return { tenantId: tenant.id, key: apiKey };
}

describe("the spend cap", () => {
  it.each([
    ["probe_read", 20, 10_000n],
    ["probe_write", 20, 100_000n],
    // One micro-unit short of the twentieth call.
    ["probe_read", 19, 9_999n],
    ["probe_write", 19, 99_999n],
  ])("lets %s through %i times under 64 concurrent callers with %i micro-USDC", async (tool, fitting, cap) => {
    const caller = await tenantWithCap(cap);
    const answers = await Promise.all(
      Array.from({ length: CALLERS }, () => service.call(tool, { text: "cap" }, caller)),
    );
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(fitting);
    const refused = answers.filter((answer) => answer.status === 402);
    expect(refused).toHaveLength(CALLERS - fitting);
    expect(refused[0]?.body).toMatchObject({ code: "spend_cap_exceeded", retryable: false });
    expect(refused.every((answer) => answer.body.result === undefined)).toBe(true);
    const sums = await books(caller.tenantId);
    expect(sums?.spent).toBe(sums?.recorded);
    expect(sums?.reserved).toBe("0");
  });

  it("of 0 or used up refuses reads before they run, with a key and without", async () => {
    const none = await tenantWithCap(0n);
    const statuses = (caller: object, text: string, headers: Record<string, string> = {}) =>
      Promise.all(
        Array.from({ length: CALLERS }, async () => {
          return (await service.call("probe_read", { text }, { ...caller, headers })).status;
        }),
      );
    expect(new Set(await statuses(none, "no cap"))).toEqual(new Set([402]));
    const keyed = { ...none, headers: { "idempotency-key": "cap" } };
    expect((await service.call("probe_read", { text: "no cap" }, keyed)).status).toBe(402);
    expect(probes.runs("no cap")).toBe(0);
    // A raised cap applies at once, even to a key that was refused.
    await service.operator((identity) => identity.setTenant(none.tenantId, { monthlyCapMicroUsdc: 500n }, "test"));
    await expect.poll(async () => (await service.call("probe_read", { text: "no cap" }, keyed)).status).toBe(200);
    expect(probes.runs("no cap")).toBe(1);

    const some = await tenantWithCap(1_000n);
    for (const status of [200, 200, 402]) {
      expect((await service.call("probe_read", { text: "used up" }, some)).status).toBe(status);
    }
    expect(new Set(await statuses(some, "used up"))).toEqual(new Set([402]));
    expect(probes.runs("used up")).toBe(2);
  });

  it("lets cheap calls through that arrive together with expensive ones that do not fit", async () => {
    const caller = await tenantWithCap(1_500n);
    const tools = [
      ...Array.from({ length: 8 }, () => "probe_dear_read"),
      ...Array.from({ length: 3 }, () => "probe_read"),
    ];
    const answers = await Promise.all(tools.map((tool) => service.call(tool, { text: "mixed" }, caller)));
    expect(answers.map((answer) => answer.status)).toEqual(tools.map((tool) => (tool === "probe_read" ? 200 : 402)));
  });
});

describe("an Idempotency-Key", () => {
  const keyed = (tool: string, args: unknown, key: string) =>
    service.call(tool, args, { headers: { "idempotency-key": key } });

  it("runs and charges a write once, and replays its answer", async () => {
    const first = await keyed("probe_write", { text: "once" }, "w1");
    const second = await keyed("probe_write", { text: "once" }, "w1");
    expect(first.headers.get("idempotent-replayed")).toBeNull();
    expect(second.headers.get("idempotent-replayed")).toBe("true");
    expect(second.body).toMatchObject({ result: first.body.result, priceMicroUsdc: "5000" });
    expect(second.headers.get("x-service-meter-id")).toBe(first.headers.get("x-service-meter-id"));
    expect(probes.runs("once")).toBe(1);
  });

  it("runs once under concurrent callers: the others wait or get the answer", async () => {
    const answers = await Promise.all(
      Array.from({ length: CALLERS }, () => keyed("probe_write", { text: "crowd" }, "w2")),
    );
    expect(probes.runs("crowd")).toBe(1);
    expect(answers.every((answer) => answer.status === 200 || answer.body.code === "in_progress")).toBe(true);
    const charged = await service.sql("select 1 from usage_record where idempotency_key = 'w2'");
    expect(charged).toHaveLength(1);
  });

  it("runs several times without a key, so that the count above can fail", async () => {
    await Promise.all(Array.from({ length: 3 }, () => service.call("probe_write", { text: "free" })));
    expect(probes.runs("free")).toBe(3);
  });

  it("with another body is a mismatch", async () => {
    await keyed("probe_write", { text: "one" }, "w3");
    const answer = await keyed("probe_write", { text: "two" }, "w3");
    expect(answer.status).toBe(422);
    expect(answer.body.code).toBe("idempotency_mismatch");
    expect(probes.runs("two")).toBe(0);
  });

  it("ignores the order of the arguments", async () => {
    await keyed("probe_write", { text: "order", mood: "ok" }, "w7");
    const answer = await keyed("probe_write", { mood: "ok", text: "order" }, "w7");
    expect(answer.headers.get("idempotent-replayed")).toBe("true");
  });

  it("belongs to one tool and one subject", async () => {
    await keyed("probe_write", { text: "mine" }, "w4");
    expect((await keyed("probe_read", { text: "other tool" }, "w4")).status).toBe(200);
    const other = await service.call(
      "probe_write",
      { text: "yours" },
      {
        userId: "user_demo",
        headers: { "idempotency-key": "w4" },
      },
    );
    expect(other.body.result).toEqual({ text: "yours" });
  });

  it("keeps a final failure and forgets a retryable one", async () => {
    const failed = await keyed("probe_write", { text: "final", mood: "fail" }, "w5");
    const again = await keyed("probe_write", { text: "final", mood: "fail" }, "w5");
    expect([failed.status, again.status]).toEqual([500, 500]);
    expect(again.body).toMatchObject({ code: "no_offers", detail: failed.body.detail });
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(probes.runs("final")).toBe(1);
    await keyed("probe_write", { text: "busy", mood: "busy" }, "w6");
    await keyed("probe_write", { text: "busy", mood: "busy" }, "w6");
    expect(probes.runs("busy")).toBe(2);
  });

  it("keeps little of a failure, which costs nothing, however long it is", async () => {
    const failed = await keyed("probe_write", { text: "loud", mood: "loud" }, "w8");
    expect(failed.text.length).toBeGreaterThan(10_000);
    const [stored] = await service.sql("select length(outcome) as size from idempotency where key = 'w8'");
    expect(stored?.size).toBeLessThan(4_096);
    const again = await keyed("probe_write", { text: "loud", mood: "loud" }, "w8");
    expect(again.body).toMatchObject({ code: "no_offers", detail: failed.body.detail });
  });

  it("runs a read again and charges it once", async () => {
    const first = await keyed("probe_read", { text: "reread" }, "r1");
    const second = await keyed("probe_read", { text: "reread" }, "r1");
    expect(probes.runs("reread")).toBe(2);
    expect(second.headers.get("x-service-meter-id")).toBe(first.headers.get("x-service-meter-id"));
    expect(await service.sql("select 1 from usage_record where idempotency_key = 'r1'")).toHaveLength(1);
  });

  it("runs a read again three times a day, and then says which call was charged", async () => {
    const first = await keyed("probe_read", { text: "again" }, "r2");
    const crowd = await Promise.all(
      Array.from({ length: CALLERS }, () => keyed("probe_read", { text: "again" }, "r2")),
    );
    const refused = crowd.filter(({ status }) => status === 429);
    expect([crowd.filter(({ status }) => status === 200).length, refused.length]).toEqual([3, CALLERS - 3]);
    expect(probes.runs("again")).toBe(4);
    const meterId = first.headers.get("x-service-meter-id");
    expect(refused[0]?.body).toMatchObject({ code: "rate_limited", retryable: true, meterId });
    expect(Number(refused[0]?.headers.get("retry-after"))).toBeGreaterThan(86_000);
    expect(await service.sql("select 1 from usage_record where idempotency_key = 'r2'")).toHaveLength(1);
    // After a day it is a new key.
    await service.sql("update idempotency set created_at = created_at - interval '25 hours' where key = 'r2'");
    const renewed = await keyed("probe_read", { text: "again" }, "r2");
    expect(renewed.status).toBe(200);
    expect(renewed.headers.get("x-service-meter-id")).not.toBe(meterId);
    expect((await keyed("probe_read", { text: "again" }, "r2")).status).toBe(200);
  });

  it("is released when the database refuses the call's own row", async () => {
    await service.sql(`create function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'refused' using errcode = 'check_violation'; end $$`);
    // Altering a table can deadlock with the product's own work.
    const change = async (text: string) => {
      const outcome = () => service.sql(text).then(() => "done", String);
      await expect.poll(outcome).toBe("done");
    };
    for (const [tool, table] of [
      ["probe_write", "call"],
      ["probe_read", "usage_record"],
    ] as const) {
      await change(`create trigger refuse before insert on ${table} for each row execute function refuse()`);
      expect((await keyed(tool, { text: "poison" }, "poison")).status).toBe(500);
      await change(`drop trigger refuse on ${table}`);
      await expect.poll(async () => (await keyed(tool, { text: "poison" }, "poison")).status).toBe(200);
    }
  });

  it("of a call that an earlier one had paid for replays the earlier one's record and price", async () => {
    const day = Temporal.Now.plainDateISO().add({ days: 60 }).toString();
    const { body } = await service.call("search_flights", { origin: "LHR", destination: "JFK", departureDate: day });
    const { offers } = z.object({ offers: z.array(z.object({ id: z.string() })) }).parse(body.result);
    const offerId = offers[0]?.id;
    const first = await keyed("book_flight", { offerId }, "b1");
    expect(first.status, first.text).toBe(200);
    for (const key of ["b2", "b2", "b1"]) {
      const again = await keyed("book_flight", { offerId }, key);
      expect(again.headers.get("idempotent-replayed")).toBe("true");
      expect(again.headers.get("x-service-meter-id")).toBe(first.headers.get("x-service-meter-id"));
      expect(again.body).toMatchObject({ priceMicroUsdc: "20000", result: first.body.result });
    }
    expect(await service.sql("select 1 from usage_record where tool = 'book_flight'")).toHaveLength(1);
  });

  it.each(["", "k".repeat(256)])("of a wrong length is refused", async (key) => {
    const answer = await keyed("probe_write", { text: "length" }, key);
    expect(answer.status).toBe(400);
  });

  it("runs a call again whose chain did not answer, and not one whose chain is not there", async () => {
    const codes = async (mood: string, key: string) => {
      const answers = [
        await keyed("probe_write", { text: key, mood }, key),
        await keyed("probe_write", { text: key, mood }, key),
      ];
      return answers.map(({ body }) => body.code ?? "ok");
    };
    expect(await codes("away", "away")).toEqual(["chain_not_available", "ok"]);
    expect(await codes("absent", "absent")).toEqual(["chain_not_available", "chain_not_available"]);
    expect([probes.runs("away"), probes.runs("absent")]).toEqual([2, 1]);
  });
});

describe("usage", () => {
  it("is read in pages, newest first, with the totals of the month", async () => {
    for (const text of ["a", "b", "c"]) await service.call("probe_read", { text });
    const get = (query: string) =>
      service.send(`/api/usage${query}`, { headers: { authorization: `Bearer ${service.apiKey}` } });
    const all = await get("?limit=200&tool=probe_read");
    const first = await get("?limit=2&tool=probe_read");
    const second = await get(`?limit=2&tool=probe_read&cursor=${String(first.body.nextCursor)}`);
    const listIds = (body: Record<string, unknown>) =>
      Array.isArray(body.records) ? body.records.map((record: { id: string }) => record.id) : [];
    expect([...listIds(first.body), ...listIds(second.body)]).toEqual(listIds(all.body).slice(0, 4));
    const sums = await books();
    expect(first.body.totals).toMatchObject({ spentMicroUsdc: sums?.spent });
    expect((await get("?limit=0")).status).toBe(400);
    expect((await get("?cursor=x")).status).toBe(400);
  });
});

describe("group commit", () => {
  const options = { maximumBatch: 100, retryMilliseconds: 0, pause: async () => undefined };

  it("keeps a bad row from failing the others", async () => {
    const group = createGroupCommit<number, number>({
      ...options,
      isTransient: () => false,
      flush: async (items) => {
        if (items.includes(13)) throw new Error("poison");
        return items.map((item) => item * 2);
      },
    });
    const outcomes = await Promise.allSettled(Array.from({ length: 40 }, (_, index) => group.submit(index)));
    expect(outcomes.filter((outcome) => outcome.status === "rejected")).toHaveLength(1);
    expect(outcomes[13]?.status).toBe("rejected");
    expect(outcomes[39]).toEqual({ status: "fulfilled", value: 78 });
  });

  it("has one flush in flight and repeats a batch after the server was away", async () => {
    let inFlight = 0;
    let most = 0;
    let failures = 1;
    const sizes: number[] = [];
    const group = createGroupCommit<number, boolean>({
      ...options,
      retryMilliseconds: 60_000,
      isTransient: () => true,
      flush: async (items) => {
        inFlight += 1;
        most = Math.max(most, inFlight);
        await new Promise((resolve) => setImmediate(resolve));
        inFlight -= 1;
        if (failures > 0) {
          failures -= 1;
          throw new Error("away");
        }
        sizes.push(items.length);
        return items.map(() => true);
      },
    });
    await Promise.all(Array.from({ length: 30 }, (_, index) => group.submit(index)));
    expect(most).toBe(1);
    expect(sizes).toEqual([30]);
  });

  it("answers its waiters after a while, and still writes their rows when it never gives up", async () => {
    let away = true;
    const written: number[] = [];
    const group = createGroupCommit<number, boolean>({
      ...options,
      neverGiveUp: true,
      isTransient: () => true,
      pause: () => new Promise((resolve) => setImmediate(resolve)),
      flush: async (items) => {
        if (away) throw new Error("away");
        written.push(...items);
        return items.map(() => true);
      },
    });
    const outcomes = await Promise.allSettled([group.submit(1), group.submit(2)]);
    expect(outcomes.map((outcome) => outcome.status)).toEqual(["rejected", "rejected"]);
    away = false;
    await group.idle();
    expect(written).toEqual([1, 2]);
  });
});
