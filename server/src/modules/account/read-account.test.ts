import { existsSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { ApprovalDesk } from "../../../test/support/approval-desk.ts";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { requireResult } from "../../../test/support/treasury.ts";
import { registry } from "../../contributions.ts";
import { joinAccountFacts } from "../../kernel/contracts/account.ts";

let service: TestService;
beforeAll(async () => {
  service = await openSharedService();
});
afterAll(() => service?.[Symbol.asyncDispose]());

const read = async (key = service.apiKey) => requireResult(await service.call("read_account", {}, { key }));

/** All spending, from the list of usage. */
async function spentBy(key = service.apiKey) {
  return requireResult(await service.call("list_usage", { limit: 200 }, { key }));
}

describe("read_account", () => {
  it("reports plan, discounted prices, spending and wallet, with nothing missing for a sandbox key", async () => {
    await service.operator((identity) => identity.setTenant(service.tenantId, { plan: "pro" }, "test"));
    const account = await read();
    expect(account).toMatchObject({
      tenantId: service.tenantId,
      environment: "sandbox",
      plan: "pro",
      discountPercent: 30,
      travelerId: "user_demo",
      scopes: ["*"],
      wallet: { USDC: { available: "100000.00", held: "0.00", holds: [] }, EURC: { available: "100000.00" } },
    });
    const prices = account.prices;
    if (!Array.isArray(prices)) throw new Error("no prices");
    expect(prices.flatMap(({ tools }) => tools).toSorted()).toEqual(registry.map(({ name }) => name).toSorted());
    expect(prices.find(({ tools }) => tools.includes("read_account"))).toMatchObject({ priceMicroUsdc: "350" });
  });

  it("describes each member of its answer in its output schema, including those of modules", async () => {
    const account = await read();
    const described = registry.find(({ name }) => name === "read_account");
    const schema = z.toJSONSchema(described?.output ?? z.never(), { io: "output", unrepresentable: "any" });
    for (const [name, value] of Object.entries(account)) {
      const member = Object(schema.properties)[name];
      expect(member, name).toMatchObject(Array.isArray(value) ? { type: "array" } : {});
      if (typeof value !== "object" || value === null || Array.isArray(value)) continue;
      // Only what depends on the deployment, such as further chains, may be missing.
      expect([...member.required].toSorted(), name).toEqual(Object.keys(value).toSorted());
      expect(Object.keys(Object(member.properties)), name).toEqual(expect.arrayContaining(Object.keys(value)));
    }
  });

  it("agrees with the paged list of usage on what is spent and left", async () => {
    await service.call("find_airports_nearby", { query: "London" });
    const { totals, records } = await spentBy();
    if (!Array.isArray(records)) throw new Error("no records");
    const sum = records.reduce((all: bigint, { priceMicroUsdc }) => all + BigInt(priceMicroUsdc), 0n);
    expect(totals).toMatchObject({ spentMicroUsdc: `${sum}`, leftMicroUsdc: `${100_000_000n - sum}` });
    // Reading the account is charged, too.
    expect((await read()).spending).toMatchObject({ spentMicroUsdc: `${sum + 350n}` });
    const first = requireResult(await service.call("list_usage", { limit: 2 }));
    const next = requireResult(await service.call("list_usage", { limit: 1, cursor: first.nextCursor }));
    expect(first.records).toHaveLength(2);
    expect(next.records).toHaveLength(1);
    expect(next.records).not.toEqual(expect.arrayContaining(Object(first.records)));
    const refused = await service.call("list_usage", { cursor: "elsewhere" });
    expect(refused.status).toBe(400);
  });

  it("names each tool that a key may not call, and how a person changes that", async () => {
    const { apiKey: key } = await service.operator((identity) =>
      identity.mintKey({
        tenantId: service.tenantId,
        environment: "sandbox",
        scopes: ["account:read", "flights:read"],
        actor: "test",
      }),
    );
    const { missing } = await read(key);
    expect(missing).toContainEqual({
      what: expect.stringMatching(/^book_flight, .*: the key lacks the scope flights:spend\.$/),
      page: expect.stringContaining("keys-and-tenants"),
      how: expect.stringContaining(
        `--tenant ${service.tenantId} --environment sandbox --scopes account:read,flights:read,flights:spend`,
      ),
    });
    expect(JSON.stringify(missing)).not.toContain("search_flights");
    const refused = await service.call("list_usage", {}, { key });
    expect(refused.body).toMatchObject({ code: "missing_scope", scope: "usage:read" });
  });

  it("names each source that the operator has not configured, and what is missing without it", async () => {
    const { missing } = await read();
    for (const [tool, variable] of [
      ["trip_weather_brief", "OPEN_METEO_URL"],
      ["air_quality_brief", "OPEN_METEO_AIR_QUALITY_URL"],
    ]) {
      const page = expect.stringContaining("config");
      const part = { what: expect.stringContaining(`${tool}`), how: expect.stringContaining(`${variable} `), page };
      expect(missing).toContainEqual(part);
    }
  });

  it("names what only a person can set up, whether it is, and the page", async () => {
    const Parts = z.array(
      z.object({ what: z.string(), isSet: z.boolean().optional(), how: z.string(), page: z.string() }),
    );
    const before = await read();
    const [missing, setUp] = [Parts.parse(before.missing), Parts.parse(before.setUp)];
    const isSet = (parts: z.output<typeof Parts>, page: string) =>
      parts.find((part) => part.page.endsWith(`/docs/${page}`))?.isSet;
    for (const page of ["travel-policy", "limits", "invoices", "approvals"])
      expect(isSet(setUp, page), page).toBe(false);
    expect(missing).toContainEqual({
      what: expect.stringContaining("exchange rates"),
      how: expect.stringContaining("FX_RATES_URL"),
      page: expect.stringMatching(/\/docs\/config$/),
    });
    expect(missing.map(({ how }) => how).join()).toContain("SMTP_URL");
    for (const { page } of [...missing, ...setUp]) {
      const name = page.slice(page.lastIndexOf("/") + 1);
      expect(existsSync(new URL(`../../../../docs/${name}.md`, import.meta.url)), page).toBe(true);
    }
    const desk = new ApprovalDesk(service);
    await desk.newPerson("Grace", "approver");
    await desk.enforce({});
    const after = Parts.parse((await read()).setUp);
    expect([isSet(after, "approvals"), isSet(after, "travel-policy"), isSet(after, "limits")]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it("is put together from modules without duplicate facts", () => {
    expect(() => joinAccountFacts([{ facts: { wallet: 1 } }, { facts: { wallet: 2 } }])).toThrow("one name");
  });
});
