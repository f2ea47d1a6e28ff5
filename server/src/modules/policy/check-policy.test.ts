import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { sendMcp } from "../../../test/support/mcp.ts";
import { mintOperatorKey, type TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { requireResult } from "../../../test/support/treasury.ts";

/** Policies as a tenant writes and queries them. */

let service: TestService;
beforeAll(async () => {
  service = await openSharedService();
});
afterAll(() => service?.[Symbol.asyncDispose]());

interface As {
  tenantId: string;
  key: string;
  operatorKey: string;
}

async function newTenant(name: string): Promise<As> {
  return await service.operator(async (identity) => {
    const { tenant, apiKey } = await identity.createTenant({ name, actor: "test" });
    return { tenantId: tenant.id, key: apiKey, operatorKey: await mintOperatorKey(identity, tenant.id) };
  });
}

function send({ key, operatorKey }: As, path: string, body?: unknown, method = body === undefined ? "GET" : "PUT") {
  const headers = {
    authorization: `Bearer ${method === "GET" ? key : operatorKey}`,
    ...(body === undefined ? {} : { "content-type": "application/json" }),
  };
  return service.send(path, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
}

const put = (as: As, policyId: string, document: unknown, effectiveFrom?: string) =>
  send(as, `/api/policies/${policyId}`, { document, ...(effectiveFrom === undefined ? {} : { effectiveFrom }) });
const check = (policyId: string, offer: unknown, as: Partial<As> = {}) =>
  service.call("check_policy", { policyId, offer }, as);
const verdict = async (...args: Parameters<typeof check>) => requireResult(await check(...args));
const today = () => Temporal.Now.plainDateISO("UTC");
const limit = (amount: number) => ({ flight: { maxPrice: { default: amount } } });
const flight = (priceUsd: number, rest: object = {}) => ({ kind: "flight", priceUsd, cabin: "economy", ...rest });

describe("default-corp", () => {
  it.each([
    [flight(2_500, { cabin: "premium_economy" }), "allow", []],
    [flight(2_500.000001), "require_approval", ["flight.maxPrice"]],
    [flight(100, { cabin: "business", durationHours: 12 }), "require_approval", ["flight.maxCabin"]],
    [flight(10_000), "require_approval", ["flight.maxPrice"]],
    [flight(10_000.01, { cabin: "first" }), "deny", ["rules.flight-price", "flight.maxPrice", "flight.maxCabin"]],
    [{ kind: "hotel", priceUsd: 1_200, pricePerNightUsd: 400 }, "allow", []],
    [{ kind: "hotel", priceUsd: 1_200, pricePerNightUsd: 400.01 }, "require_approval", ["hotel.maxNightly"]],
    [{ kind: "hotel", priceUsd: 1_500, pricePerNightUsd: 1_500 }, "require_approval", ["hotel.maxNightly"]],
    [{ kind: "hotel", priceUsd: 3_001, pricePerNightUsd: 1_500.5 }, "deny", ["rules.hotel-night", "hotel.maxNightly"]],
  ])("says of %j: %s", async (offer, decision, rules) => {
    const said = await verdict("default-corp", offer);
    expect(said).toMatchObject({ decision, notEvaluated: [], policyId: "default-corp", version: 1 });
    const note = { require_approval: /asks nobody: run_workflow with this policyId/, deny: /is not refused; a run/ };
    expect(String(said.note)).toMatch({ allow: /^null$/, ...note }[decision] ?? /^$/);
    expect(
      z
        .array(z.looseObject({ rule: z.string() }))
        .parse(said.violations)
        .map(({ rule }) => rule),
    ).toEqual(rules);
  });

  it("says what could not be judged", async () => {
    expect(await verdict("default-corp", { kind: "flight", priceUsd: 1 })).toMatchObject({
      decision: "warn",
      note: expect.stringMatching(/flight\.maxCabin\. Call again with offer\.cabin\.$/),
      notEvaluated: [{ rule: "flight.maxCabin", severity: "require_approval", missing: ["cabin"] }],
    });
    expect(await verdict("default-corp", { kind: "hotel", priceUsd: 2_000 })).toMatchObject({
      decision: "warn",
      note: expect.stringMatching(/rules\.hotel-night, hotel\.maxNightly\. Call again with offer\.pricePerNightUsd\.$/),
      notEvaluated: [
        { rule: "rules.hotel-night", severity: "deny", missing: ["pricePerNightUsd"] },
        { rule: "hotel.maxNightly", severity: "require_approval", missing: ["pricePerNightUsd"] },
      ],
    });
  });

  it("has a limit of 1000, is the same over MCP, is copied and cannot be changed", async () => {
    const as = await newTenant("Copies");
    const answer = await check("default-corp", flight(2_501), as);
    expect(answer.body.priceMicroUsdc).toBe("1000");
    const params = { name: "check_policy", arguments: { policyId: "default-corp", offer: flight(2_501) } };
    const over = await sendMcp(service, "tools/call", params, { key: as.key });
    expect(over.body.result).toMatchObject({ structuredContent: requireResult(answer) });

    const { document } = (await send(as, "/api/policies/default-corp")).body;
    expect((await put(as, "default-corp", document)).body.code).toBe("conflict");
    const copied = await put(as, "acme-corp-2027", document);
    expect([copied.status, copied.body]).toMatchObject([
      201,
      { policyId: "acme-corp-2027", version: 1, state: "active", document },
    ]);
    expect(await verdict("acme-corp-2027", flight(2_501), as)).toMatchObject({
      decision: "require_approval",
      policyId: "acme-corp-2027",
    });
  });
});

describe("a tenant's own policy", () => {
  it("names each of its rules that the offer's few facts cannot answer, and passes none silently", async () => {
    const as = await newTenant("Asks more");
    const document = {
      flight: {
        advancePurchaseDays: { international: 14 },
        fare: { requireRefundableAbove: 500, allowBasicEconomy: false },
        itinerary: { maxStops: 1 },
        emissions: { maxKgPerPassenger: 800 },
      },
      destinations: { blockedCountries: ["KP"] },
      travelDates: { latest: "2099-12-31" },
      booking: { allowed: [{ booker: "*", travelers: "self" }] },
    };
    expect((await put(as, "asks", document)).status).toBe(201);
    const Unknown = z.array(z.object({ rule: z.string(), missing: z.array(z.string()) }));
    const said = await verdict("asks", flight(900, { carrierIata: "BA", durationHours: 8 }), as);
    expect(said.violations).toEqual([]);
    expect([said.decision, said.note]).toEqual([
      "warn",
      expect.stringMatching(/does not contain destinationCountry, departureDate, refundable.*preview_call/),
    ]);
    expect(new Map(Unknown.parse(said.notEvaluated).map(({ rule, missing }) => [rule, missing.join()]))).toEqual(
      new Map([
        ["flight.advancePurchaseDays", "departureDate"],
        ["flight.fare.refundable", "refundable"],
        ["flight.fare.basicEconomy", "fareBrand"],
        ["flight.itinerary.maxStops", "stops"],
        ["flight.emissions", "co2KgPerPassenger"],
        ["destinations.blockedCountries", "destinationCountry"],
        ["travelDates.latest", "travelDates"],
        ["booking.allowed", "booker"],
      ]),
    );
  });

  it("has immutable versions, of which the last in force applies", async () => {
    const as = await newTenant("Versions");
    expect((await put(as, "own", limit(100))).status).toBe(201);
    expect((await put(as, "own", limit(100))).body).toMatchObject({ version: 1, state: "active" });
    const later = await put(as, "own", limit(300), today().add({ days: 2 }).toString());
    expect([later.status, later.body]).toMatchObject([200, { version: 2, state: "scheduled" }]);
    expect((await put(as, "own", limit(200), today().toString())).body).toMatchObject({ version: 3, state: "active" });

    expect(await verdict("own", flight(250), as)).toMatchObject({ version: 3, violations: [{ limit: "200.00" }] });
    const { versions } = (await send(as, "/api/policies/own/versions")).body;
    expect(versions).toMatchObject([
      { version: 3, state: "active" },
      { version: 2, state: "scheduled" },
      { version: 1, state: "replaced" },
    ]);
    expect((await send(as, "/api/policies/own?version=1")).body.document).toMatchObject(limit(100));
    expect((await send(as, "/api/policies/own")).body).toMatchObject({ version: 3 });
    const { policies } = (await send(as, "/api/policies")).body;
    expect(policies).toMatchObject([{ policyId: "default-corp" }, { policyId: "own", version: 3 }]);
  });

  it("does not apply before its first version is in force, which begins in its own time zone", async () => {
    const as = await newTenant("Scheduled");
    // The time zones where a day begins first and last.
    for (const [id, timeZone, hours] of [
      ["early", "Pacific/Kiritimati", 14],
      ["late", "Pacific/Pago_Pago", -11],
    ] as const) {
      const date = today().add({ days: 3 });
      const { body } = await put(as, id, { ...limit(1), timeZone }, date.toString());
      const midnight = date.toZonedDateTime("UTC").toInstant().subtract({ hours });
      expect(body).toMatchObject({ state: "scheduled", effectiveAt: midnight.toString() });
    }
    const answer = await check("early", flight(2), as);
    expect(answer.body).toMatchObject({
      code: "invalid_input",
      issues: [{ path: "policyId", message: expect.stringContaining("applies yet") }],
    });
    expect((await put(as, "early", limit(1), today().subtract({ days: 2 }).toString())).body.issues).toMatchObject([
      { path: "effectiveFrom" },
    ]);
  });

  it("is hidden from other tenants, and an unknown name is answered with the known ones", async () => {
    const [one, other] = [await newTenant("One"), await newTenant("Other")];
    await put(one, "secret-corp", limit(1));
    expect((await check("secret-corp", flight(2), one)).body.result).toMatchObject({
      isEnforced: false,
      policyIds: ["default-corp", "secret-corp"],
    });
    const answer = await check("secret-corp", flight(2), other);
    expect([answer.status, answer.body.code]).toEqual([400, "invalid_input"]);
    expect(answer.text).toContain("default-corp");
    const near = await check("secret-corb", flight(2), one);
    expect(near.text).toContain('did you mean \\"secret-corp\\"');
    expect((await send(other, "/api/policies/secret-corp")).status).toBe(404);
    const { apiKey: production } = await service.operator((identity) =>
      identity.mintKey({ tenantId: one.tenantId, environment: "sandbox", scopes: ["policy:read"], actor: "test" }),
    );
    expect((await put({ ...one, operatorKey: production }, "more", limit(1))).body.code).toBe("missing_scope");
    await service.sql("update travel_policy set network = 'production' where tenant_id = $1", [one.tenantId]);
    expect((await check("secret-corp", flight(2), one)).body.code).toBe("invalid_input");
  });

  it.each([
    [{ flight: { carriers: { preferred: ["LH", "BA"], blocked: ["BA"] } } }, "flight.carriers.preferred.1"],
    [{ flight: { carriers: { preferred: ["LH"], only: ["BA"] } } }, "flight.carriers.preferred.0"],
    [
      {
        flight: {
          maxPrice: {
            byDuration: [
              { maxHours: 6, amount: 1 },
              { maxHours: 6, amount: 2 },
            ],
          },
        },
      },
      "flight.maxPrice.byDuration.1.maxHours",
    ],
    [{ flight: { maxPrice: {} } }, "flight.maxPrice"],
    [
      { flight: { maxCabin: { default: "business", byDuration: [{ minHours: 6, cabin: "economy" }] } } },
      "flight.maxCabin.byDuration.0.cabin",
    ],
    [{ hotel: { chains: { preferred: ["a"], blocked: ["a"] } } }, "hotel.chains.preferred.0"],
    [{ hotel: { maxNightly: { byCity: { London: 3 } } } }, "hotel.maxNightly.byCity.London"],
    [
      { destinations: { blockedCountries: ["US"], approvalCountries: ["FR", "US"] } },
      "destinations.approvalCountries.1",
    ],
    [
      { destinations: { riskLevels: { US: 1 }, approvalFromLevel: 3, denyFromLevel: 3 } },
      "destinations.approvalFromLevel",
    ],
    [{ travelDates: { earliest: "2027-02-02", latest: "2027-02-01" } }, "travelDates.latest"],
    [
      {
        booking: {
          allowed: [
            { booker: "*", travelers: "self" },
            { booker: "*", travelers: "anyone" },
          ],
        },
      },
      "booking.allowed.1.booker",
    ],
    [
      {
        rules: [
          { id: "a", when: { kind: "flight" } },
          { id: "a", when: { kind: "hotel" } },
        ],
      },
      "rules.1.id",
    ],
    [{ rules: [{ id: "a", when: { kind: "hotel", cabins: ["first"] } }] }, "rules.0.when.cabins"],
    [{ timeZone: "Mars/Olympus" }, "timeZone"],
    [{ flight: { maxPrice: { default: -1 } } }, "flight.maxPrice.default"],
    [{ flight: { maxPrice: { default: 0.0000001 } } }, "flight.maxPrice.default"],
    [{ flight: { maxPrize: {} } }, "flight.maxPrize"],
  ])("is refused with the place when it is %j", async (document, path) => {
    const answer = await put({ ...service, key: service.apiKey }, "refused", document);
    expect([answer.status, answer.body.code]).toEqual([400, "invalid_input"]);
    expect(
      z
        .array(z.object({ path: z.string() }))
        .parse(answer.body.issues)
        .map((issue) => issue.path),
    ).toEqual([`document.${path}`]);
  });

  it("may have 5,000 rules, and no more", async () => {
    const as = await newTenant("Many rules");
    const rules = Array.from({ length: 5_000 }, (_, index) => ({
      id: `r${index}`,
      when: { kind: "flight", priceUsdOver: index, carriers: ["BA"] },
    }));
    expect((await put(as, "many", { rules })).status).toBe(201);
    const said = await verdict("many", flight(4_000.5, { carrierIata: "BA" }), as);
    expect(said).toMatchObject({ decision: "require_approval", notShown: 3_951 });
    expect(said.violations).toHaveLength(50);
    const more = await put(as, "many", { rules: [...rules, { id: "one-more", when: { kind: "flight" } }] });
    expect(more.body).toMatchObject({ code: "invalid_input", issues: [{ path: "document.rules" }] });
  });

  it("put 16 times at once has 16 consecutive versions", async () => {
    const as = await newTenant("Sixteen");
    const answers = await Promise.all(Array.from({ length: 16 }, (_, index) => put(as, "own", limit(index))));
    const versions = answers.map(({ body }) => Number(body.version)).toSorted((one, other) => one - other);
    expect(versions).toEqual(Array.from({ length: 16 }, (_, index) => index + 1));
  });
});

it.each([
  [{ kind: "flight" }, "offer.priceUsd"],
  [flight(-1), "offer.priceUsd"],
  [flight(1e21), "offer.priceUsd"],
  [flight(0.0000001), "offer.priceUsd"],
  [flight(1, { durationHours: -1 }), "offer.durationHours"],
  [flight(1, { cabin: "luxury" }), "offer.cabin"],
  [flight(1, { stops: 1 }), "offer.stops"],
])("an offer %j is refused", async (offer, path) => {
  const { status, body } = await check("default-corp", offer);
  expect([status, body.code]).toEqual([400, "invalid_input"]);
  expect(body.issues).toMatchObject([{ path }]);
});

describe("read_policy", () => {
  const read = async (as: As, args: object = {}) => requireResult(await service.call("read_policy", args, as));

  it("shows the rules in force, since when, and whether they are enforced; without an id all policies", async () => {
    const as = await newTenant("Reads its rules");
    const builtIn = { policyId: "default-corp", version: 1, state: "active", effectiveAt: null, isEnforced: false };
    const { document: only } = await read(as, { policyId: "default-corp" });
    const bare = { enforcedPolicyId: null, policies: [{ ...builtIn, createdAt: null }], shortened: [] };
    expect(await read(as)).toEqual({ ...bare, document: only });
    expect(await read(as, { policyId: "default-corp" })).toMatchObject({
      policies: [builtIn],
      document: { hotel: { maxNightly: { default: 400 } } },
    });
    const { body: stored } = await put(as, "house", limit(300));
    expect(await read(as)).not.toHaveProperty("document");
    await put(as, "house", limit(1), today().add({ days: 9 }).toString());
    await send(as, "/api/policy-enforcement", { policyId: "house" });
    const { effectiveAt } = z.object({ effectiveAt: z.string() }).parse(stored);
    const inForce = { policyId: "house", version: 1, state: "active", effectiveAt, isEnforced: true };
    expect(await read(as)).toMatchObject({
      enforcedPolicyId: "house",
      policies: [builtIn, inForce],
      document: limit(300),
    });
    expect(await read(as, { policyId: "house" })).toMatchObject({ policies: [inForce], document: limit(300) });
    const later = { policyId: "house", version: 2, state: "scheduled", isEnforced: false };
    expect(await read(as, { policyId: "house", version: 2 })).toMatchObject({ policies: [later], document: limit(1) });
  });

  it("shortens an overlong list, and says so", async () => {
    const as = await newTenant("Many rules");
    const rule = (index: number) => ({ id: `no-${index}`, when: { kind: "flight", priceUsdOver: index } });
    expect((await put(as, "long", { rules: Array.from({ length: 130 }, (_, index) => rule(index)) })).status).toBe(201);
    const { document, shortened } = await read(as, { policyId: "long" });
    expect(z.object({ rules: z.array(z.unknown()) }).parse(document).rules).toHaveLength(100);
    expect(shortened).toEqual([{ path: "rules", shown: 100, of: 130 }]);
  });

  it("refuses unknown policies, names the existing ones, and shows no other tenant's", async () => {
    const [as, other] = [await newTenant("Has one"), await newTenant("Has none")];
    await put(as, "mine", limit(300));
    const refused = async (who: As, args: object) => (await service.call("read_policy", args, who)).body.issues;
    expect(await refused(as, { policyId: "mime" })).toEqual([
      { path: "policyId", message: 'you have no such policy; did you mean "mine"? Known: default-corp, mine' },
    ]);
    expect(await refused(as, { policyId: "mine", version: 2 })).toMatchObject([{ path: "version" }]);
    expect(await refused(as, { version: 1 })).toMatchObject([{ path: "policyId" }]);
    expect(await refused(other, { policyId: "mine" })).toEqual([
      { path: "policyId", message: "you have no such policy. Known: default-corp" },
    ]);
  });
});
