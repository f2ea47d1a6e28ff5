import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { runInOrder, type Tool } from "../src/commands/gen/run-in-order.ts";
import { catalog, routes } from "../src/contributions.ts";
import { sampleIds } from "../src/domain/example-ids.ts";
import { EVERYTHING } from "../src/domain/scopes.ts";
import { readParts } from "../src/embedded/parts-file.ts";
import { until } from "./support/embedded-fixture.ts";
import {
  createLiveDeployment,
  type LiveChain,
  type LiveDeployment,
  type LiveService,
  startLiveChain,
} from "./support/live-service.ts";
import { mintOperatorKey } from "./support/service.ts";
import { type SupplierSandbox, startSupplierSandbox } from "./support/supplier-sandbox.ts";
import { requireResult, UNIT } from "./support/treasury.ts";

/**
 * One tenant with a key of each environment, in a product in production mode with the sandbox beside it. Every tool and
 * every route is called with records of the other environment: none is shown, found or changed.
 */

// Every example runs in both environments, and then once more with the ids of the other one.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const SANDBOX_CHAIN_ID = 5_042_002;
const USER = "user_both";
/** Whom examples name. */
const DEMO_TRAVELER = "user_demo";
const environments = ["sandbox", "production"] as const;
type Environment = (typeof environments)[number];

/** The records of one environment after every example ran in it. */
interface Side {
  environment: Environment;
  key: string;
  /** For the routes, as some of them need scopes that only a person holds. */
  operatorKey: string;
  ids: Record<string, string>;
  /** The words of everything that it was told (listWords). */
  heard: Set<string>;
}

let chain: LiveChain;
let supplier: SupplierSandbox;
let deployment: LiveDeployment;
let service: LiveService;
let tenantId: string;
let startFacts: LiveService["app"]["facts"];
let sides: Readonly<Record<Environment, Side>>;

const Address = z.templateLiteral(["0x", z.string().regex(/^[0-9a-f]{40}$/)]);
const today = Temporal.Now.plainDateISO("UTC");

beforeAll(async () => {
  // Has the same number as the development chain: only the genesis differs.
  [chain, supplier] = await Promise.all([startLiveChain(SANDBOX_CHAIN_ID), startSupplierSandbox()]);
  deployment = await createLiveDeployment(chain, supplier);
  // The first start makes the wallet that the escrow pays to; the sandbox is not needed for that.
  service = await deployment.start({ EMBEDDED_SANDBOX: "off" });
  const [row] = await deployment.sql("select address from wallet where kind = 'collection' and network = 'production'");
  const escrow = await chain.deployEscrow({ serviceFeeRecipient: Address.parse(row?.address) });
  await service.stop();
  service = await deployment.start({ CHAIN_ESCROW: escrow });
  startFacts = service.app.facts;
  await openSides();
  for (const environment of environments) await useEverything(sides[environment]);
});
afterAll(async () => {
  await service?.stop();
  await deployment?.[Symbol.asyncDispose]();
  await Promise.all([supplier?.stop(), chain?.close()]);
});

async function openSides(): Promise<void> {
  const keys = await service.operator(async (identity) => {
    const { tenant, apiKey } = await identity.createTenant({ name: "Both", actor: "test" });
    const live = await identity.mintKey({
      tenantId: tenant.id,
      environment: "production",
      scopes: [EVERYTHING],
      actor: "test",
    });
    tenantId = tenant.id;
    return {
      sandbox: { key: apiKey, operatorKey: await mintOperatorKey(identity, tenant.id) },
      production: { key: live.apiKey, operatorKey: await mintOperatorKey(identity, tenant.id, "production") },
    };
  });
  const open = (environment: Environment): Side => ({ environment, ...keys[environment], ids: {}, heard: new Set() });
  sides = { sandbox: open("sandbox"), production: open("production") };
  const { address } = requireResult(await call(sides.production, "check_treasury", {}));
  await chain.deposit(Address.parse(address), 50_000n * UNIT);
  const funded = "select 1 from ledger_account where kind = 'prefunded' and tenant_id = $1 and balance_micro > 0";
  await until(async () => (await deployment.sql(funded, [tenantId])).length === 3 || undefined);
}

const call = ({ key }: Side, tool: string, args: unknown, userId?: string) =>
  service.call(tool, args, { key, tenantId, ...(userId === undefined ? {} : { userId }) });

function send({ operatorKey }: Side, method: string, path: string, body?: unknown) {
  const headers = {
    authorization: `Bearer ${operatorKey}`,
    ...(body === undefined ? {} : { "content-type": "application/json" }),
  };
  return service.send(path, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
}

const buildProfile = ({ environment }: Side) => ({
  givenName: "Ada",
  familyName: `Of${environment}`,
  bornOn: "1990-04-12",
  title: "ms",
  gender: "f",
  email: `ada.${environment}@example.com`,
  phoneNumber: "+447700900123",
  passports: [
    {
      nationality: "GBR",
      number: `PASS2026${environment.toUpperCase()}`,
      issuedOn: "2021-05-01",
      expiresOn: "2031-05-01",
    },
  ],
});

const NEED_OTHER_CONTRACTS = new Set([
  ...["swap_tokens", "bridge_to_arc", "swap_and_bridge"],
  ...["gateway_deposit", "gateway_withdraw", "gateway_transfer"],
  "faucet_drip",
]);

/** Excludes tools that need a contract missing on this test's live chain, or that exist only in the sandbox. */
const isThere = ({ tool }: (typeof catalog.entries)[number], { environment }: Side): boolean =>
  environment === "sandbox" || (tool.area !== "reputation" && !NEED_OTHER_CONTRACTS.has(tool.name));

/** Runs every example, so that there is something of every kind. */
async function useEverything(side: Side): Promise<void> {
  for (const userId of [USER, `user_${side.environment}`, DEMO_TRAVELER]) {
    const answer = await send(side, "PUT", `/api/travelers/${userId}`, buildProfile(side));
    expect(answer.status, answer.text).toBe(201);
    hear(side, answer.text);
  }
  for (const route of routes.filter(
    ({ id, method, params }) => method === "PUT" && (params !== undefined || id === "write_invoicing"),
  )) {
    const { status, text } = await sendTo(side, route, side);
    expect([200, 201], text).toContain(status);
    hear(side, text);
  }
  const entries = catalog.entries.filter((entry) => isThere(entry, side));
  await runInOrder(entries, today, async (tool, args) => {
    const { status, text, body } = await call(side, tool.name, args, USER);
    expect(status, `${side.environment} ${tool.name}: ${text}`).toBe(200);
    hear(side, text, JSON.stringify(args));
    for (const [name, id] of Object.entries(tool.gives(body.result))) if (id !== undefined) side.ids[name] = id;
    if (tool.effect === "spend") await letSupplierFinish(side);
    return body.result;
  });
}

/** Purchases are ticketed a moment later, which nobody waits for. */
async function letSupplierFinish({ environment }: Side): Promise<void> {
  const embedded = readParts(deployment.dataDir).find(({ name }) => name === "supplier")?.url;
  const url = environment === "production" ? supplier.url : embedded;
  const tick = { method: "POST", headers: { "content-type": "application/json" }, body: '{"advanceSeconds":2}' };
  expect((await fetch(`${url}/_sandbox/tick`, tick)).status).toBe(200);
}

/** The address that mints on every chain. */
const NOBODY = /^0x0{40}$/;

/** Ids, hashes, secrets and document numbers, and the family names of this test. Times are everybody's. */
function listWords(text: string): Set<string> {
  const words = (text.match(/\bOf(?:sandbox|production)\b|[\w-]{10,}/g) ?? []).filter((word) => !NOBODY.test(word));
  return new Set(words.filter((word) => word.startsWith("Of") || (/\d/.test(word) && !/^20\d\d-/.test(word))));
}

function hear({ heard }: Side, ...texts: readonly string[]): void {
  for (const text of texts) for (const word of listWords(text)) heard.add(word);
}

const other = ({ environment }: Side): Side => sides[environment === "sandbox" ? "production" : "sandbox"];

/** Words that belong only to the other side, except those that the caller has named. */
function shownOfOther(side: Side, text: string, named: unknown): string[] {
  const given = JSON.stringify(named);
  const { heard: theirs } = other(side);
  return [...listWords(text)].filter((word) => theirs.has(word) && !side.heard.has(word) && !given.includes(word));
}

/** A side's own records over the routes, without those that change by themselves. */
async function readAll(side: Side): Promise<string[]> {
  const reading = keyed.filter(
    ({ method, tag }) =>
      method === "GET" && !["usage", "orders", "events", "keys", "treasury", "sandbox"].includes(tag),
  );
  const lines: string[] = [];
  for (const route of reading) {
    const { status, text } = await sendTo(side, route, side);
    lines.push(`${route.id} ${status} ${text.replaceAll(/"(traceId|asOf)":"[^"]*"/g, "")}`);
  }
  return lines;
}

type AnyRoute = (typeof routes)[number];

/** A record of this side for each parameter that paths name. */
const listRecords = ({ environment, ids }: Side): Readonly<Record<string, string | undefined>> => ({
  tripId: ids.tripId,
  bookingId: ids.reservedBookingId,
  orderId: ids.changedOrderId,
  userId: `user_${environment}`,
  policyId: `${environment}-corp-2026`,
  // Ids of no approval, invoice, endpoint, conversation, link, message, session, key, connected agent, member and tenant: theirs are separated by the tables' keys, which server/test/tables.test.ts checks.
  runId: ids.runId,
  approvalId: `apr_${"0".repeat(26)}`,
  invoiceNumber: "NONE-1",
  endpointId: `whe_${"0".repeat(26)}`,
  conversationId: `cnv_${"0".repeat(26)}`,
  linkId: `lnk_${"0".repeat(26)}`,
  channel: "email",
  recordId: `msg_${"0".repeat(26)}`,
  sessionId: `sgn_${"0".repeat(26)}`,
  keyId: `key_${"0".repeat(26)}`,
  connectionId: `con_${"0".repeat(26)}`,
  memberId: `user_${"0".repeat(26)}`,
  channelId: `chn_${"0".repeat(26)}`,
  personId: `chp_${"0".repeat(26)}`,
  app: `chn_${"0".repeat(26)}`,
  tenantId: `tenant_${"0".repeat(26)}`,
});

/** To a record of `owner`. */
function sendTo(side: Side, route: AnyRoute, owner: Side) {
  const own = listRecords(owner);
  const path = route.path.replaceAll(/:(\w+)/g, (_all, name: string) => {
    const id = own[name];
    if (id === undefined) throw new Error(`This test makes no record for the parameter ${name} yet.`);
    return encodeURIComponent(id);
  });
  return send(side, route.method, path, route.body === undefined ? undefined : route.example?.body);
}

const keyed = routes.filter(({ access }) => typeof access === "object");
const buildExample = (owner: Side, tool: Tool) => tool.example(today, { ...sampleIds, ...owner.ids });

describe.each(environments)("a key of %s", (environment) => {
  /** The other side's own records, before anything is tried. */
  let before: string[];
  beforeAll(async () => {
    before = await readAll(other(sides[environment]));
  });

  test("is told nothing of the other environment by any tool, whatever it names", async () => {
    const side = sides[environment];
    const theirs = other(side);
    let seenByItself = 0;
    for (const { tool } of catalog.entries) {
      const args = buildExample(theirs, tool);
      const { status, text } = await call(side, tool.name, args, USER);
      expect(shownOfOther(side, text, args), `${tool.name} ${status}`).toEqual([]);
      const ownArgs = buildExample(side, tool);
      // A run of a workflow is started and finds that the trip is not there.
      const isRefused = status !== 200 || text.includes('"status":"failed"');
      if (JSON.stringify(args) !== JSON.stringify(ownArgs)) expect(isRefused, `${tool.name}: ${text}`).toBe(true);
      hear(side, text);
      // The control: the same look at a read of the other side's own key finds what is theirs.
      if (
        seenByItself <= 3 &&
        tool.effect === "read" &&
        shownOfOther(side, (await call(theirs, tool.name, args, USER)).text, {}).length > 0
      ) {
        seenByItself += 1;
      }
    }
    expect(seenByItself).toBeGreaterThan(3);
    expect(await readAll(theirs)).toEqual(before);
  });

  test("finds nothing of the other environment by any route, and changes nothing", async () => {
    const side = sides[environment];
    const theirs = other(side);
    expect(before.filter((line) => / 200 /.test(line)).length).toBeGreaterThan(5);
    // Routes that create a record of the caller come last.
    for (const route of keyed.toSorted((one, two) => Number(one.method === "PUT") - Number(two.method === "PUT"))) {
      const answer = await sendTo(side, route, theirs);
      const named = [route.example?.body, route.params === undefined ? {} : listRecords(theirs)];
      expect(shownOfOther(side, answer.text, named), route.id).toEqual([]);
      const members = Object.keys(route.body?.shape ?? {});
      const namesRecord = ["sessionId", "code"].some((name) => members.includes(name));
      if (route.tag === "sandbox" && environment === "production") {
        expect([answer.status, answer.body.code], route.id).toEqual([403, "sandbox_only"]);
      } else if (namesRecord) expect([answer.status, answer.body.code], route.id).toEqual([404, "not_found"]);
      else if (route.id === "create_tenant")
        expect(answer.body.code, "only the operator's tenant creates others").toBe("missing_scope");
      else if (route.params === undefined || route.id === "list_channel_records")
        expect(answer.status, `${route.id}: ${answer.text}`).toBe(200);
      else if (route.method === "PUT") expect(answer.status, route.id).toBe(201);
      else if (answer.body.scope === "approvals:decide") expect(answer.status, "only persons' keys have it").toBe(403);
      else expect([answer.status, answer.body.code], route.id).toEqual([404, "not_found"]);
    }
    expect(await readAll(theirs)).toEqual(before);
  });
});

test("what the sandbox spends leaves the cap of production as it is, and the other way round", async () => {
  const tenant = await service.operator(async (identity) => {
    const { tenant: made, apiKey } = await identity.createTenant({
      name: "Capped",
      monthlyCapMicroUsdc: 1_500n,
      actor: "test",
    });
    const live = await identity.mintKey({ tenantId: made.id, environment: "production", actor: "test" });
    return { tenantId: made.id, sandbox: apiKey, production: live.apiKey };
  });
  for (const environment of environments) {
    const quote = { fromCurrency: "EUR", toCurrency: "USDC", amount: 1 };
    const as = { key: tenant[environment], tenantId: tenant.tenantId };
    const statuses = [];
    for (let time = 0; time < 2; time += 1) statuses.push((await service.call("quote_fx", quote, as)).status);
    expect([environment, ...statuses]).toEqual([environment, 200, 402]);
  }
});

test("a start says that production has no profiles while only the sandbox has", () => {
  expect(startFacts).toContainEqual({ label: "travelers", text: "production has none yet" });
});
