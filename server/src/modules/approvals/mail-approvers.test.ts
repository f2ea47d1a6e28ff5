import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { delivery } from "../../../test/support/delivery.ts";
import {
  createManualClock,
  openTestIdentities,
  silentLog,
  type TestIdentities,
} from "../../../test/support/identity.ts";
import { type MailServer, startMailServer } from "../../../test/support/mail-server.ts";
import { mortalWorker } from "../../../test/support/mortal-worker.ts";
import { createSmtpMailer } from "../../adapters/smtp/index.ts";
import { createStores } from "../../contributions.ts";
import { systemRandom } from "../../domain/ids.ts";
import type { StayPurchase } from "../../domain/travel/purchase.ts";
import type { Stores } from "../../kernel/contracts/whole.ts";
import type { Mailer } from "../../ports/mailer.ts";
import { reconcileEffects } from "../effects/reconcile-effects.ts";
import { openCarriers } from "../outbox/carriers/index.ts";
import { outboxUse, storedWords } from "../outbox/send-message.ts";
import type { ApprovalCase } from "../policy/index.ts";
import { checkPolicy } from "../policy/tools/check-policy.ts";
import { decideApproval } from "./decide-approval.ts";
import { KeptApprovals } from "./kept-approvals.ts";

let server: MailServer;
let setup: TestIdentities;
let stores: Stores;
let mailer: Mailer;
let tenantId: string;
const clock = createManualClock();

beforeAll(async () => {
  [server, setup] = await Promise.all([startMailServer(), openTestIdentities()]);
  stores = createStores(setup.db, clock, setup.vault);
  const address = { host: "127.0.0.1", port: server.port, tls: "off", credentials: undefined } as const;
  mailer = createSmtpMailer({ server: address, from: { address: "trips@wayfare.example" } });
  const { tenant } = await setup.open().createTenant({ name: "Acme", actor: "test" });
  tenantId = tenant.id;
  const owner = { tenantId, environment: "sandbox" as const };
  for (const [name, roles] of [
    ["grace", ["approver"]],
    ["boss", ["admin"]],
    ["finn", ["finance"]],
    ["asker", ["booker", "approver"]],
    ["gone", ["approver"]],
  ] as const) {
    const person = { id: `user_${name}`, name, email: `${name}@example.com`, roles };
    await stores.persons.add(owner, person, "test");
  }
  await stores.persons.remove(owner, "user_gone", "test");
});
beforeEach(() => {
  server.received.length = 0;
});
afterAll(async () => {
  await setup?.close();
  await server?.[Symbol.asyncDispose]();
});

const deliveryBy = (through: Mailer, kept?: "sandbox") => ({
  ...delivery,
  kept,
  carriers: openCarriers({ mailer: through }),
});

const approvalsOver = (over: Stores, through: Mailer, kept?: "sandbox") =>
  new KeptApprovals({
    stores: over,
    clock,
    random: systemRandom,
    appUrl: "https://wayfare.example",
    mail: { delivery: deliveryBy(through, kept), vault: setup.vault, origin: "https://wayfare.example" },
  });

const NOTHING_MORE = { alternatives: [], purpose: undefined, warnings: [] };
const buildCase = (name: string): ApprovalCase => ({
  call: {
    id: `call_${name}`,
    traceId: "trace",
    surface: "dispatch",
    tool: checkPolicy,
    args: { name },
    tenantId,
    keyId: "key_asker",
    subject: "user_asker",
    travelerId: "user_asker",
    environment: "sandbox",
    paidBy: "tenant",
    listPrice: 0n,
    discountPercent: 0,
    price: 0n,
    startedAt: clock.now(),
    idempotencyKey: undefined,
  },
  plan: {
    movements: [{ token: "USDC", amount: 5_000_000n, from: "treasury", to: "collection" }],
    irreversible: [],
  },
  policyId: "acme",
  version: 1,
  terms: { role: "approver", expiresHours: 24, tolerance: 0n },
  verdict: { decision: "require_approval", violations: [], notEvaluated: [], notShown: 0 },
});

const reconcile = () => {
  const ports = { stores, clock, delivery: deliveryBy(mailer) };
  return reconcileEffects([outboxUse(ports, storedWords(ports))], { workerId: "job", log: silentLog });
};
/** The recipients, once per mail, however often a server received it. */
const written = () => {
  const mails = new Map(server.received.map(({ parsed, to }) => [parsed.messageId, to.join()]));
  return [...mails.values()].toSorted();
};
const unfinished = () =>
  setup.db.selectFrom("message").select("id").where("state", "in", ["intended", "sending"]).execute();
const PATIENT = { timeout: 50_000 };
const DECIDERS = ["boss@example.com", "grace@example.com"];

it("goes once to each person who may decide, and never to the requester, under concurrent requests", async () => {
  const approvals = approvalsOver(stores, mailer);
  const all = await Promise.all(
    Array.from({ length: 8 }, () => approvals.request(buildCase("together"), NOTHING_MORE)),
  );
  expect(new Set(all.map(({ approvalId }) => approvalId)).size).toBe(1);
  await expect.poll(unfinished, PATIENT).toEqual([]);
  expect(written()).toEqual(DECIDERS);
  expect(server.received).toHaveLength(2);
  const link = `https://wayfare.example/approve/${all[0]?.approvalId}/user_grace#`;
  const mail = server.received.find(({ to }) => to.includes("grace@example.com"))?.parsed;
  expect(mail?.text).toContain(link);
  expect(mail?.text).toContain("5.00 USDC to collection");
  expect(mail?.text).not.toContain("user_boss");
});

it("names the purpose of money that is set aside, if the call names it", async () => {
  const day = Temporal.PlainDate.from("2030-05-06");
  const purpose: StayPurchase = {
    kind: "stay",
    price: 900_000_000n,
    travelerIds: undefined,
    refundable: true,
    name: "Harbour Rooms",
    rooms: 1,
    checkInDate: day,
    checkOutDate: day.add({ days: 3 }),
    suppliers: undefined,
    place: undefined,
    country: undefined,
    timeZone: undefined,
    stars: undefined,
  };
  const approvals = approvalsOver(stores, mailer);
  await approvals.request(buildCase("meant"), { alternatives: [], purpose, warnings: [] });
  await approvals.request(buildCase("plain"), NOTHING_MORE);
  await expect.poll(unfinished, PATIENT).toEqual([]);
  const subjects = new Map(server.received.map(({ parsed: { subject, text } }) => [subject, text]));
  expect([...subjects.keys()].toSorted()).toEqual([
    "Approval needed: a payment of 5.00 USDC",
    "Approval needed: money set aside for a hotel from 2030-05-06",
  ]);
  const text = subjects.get("Approval needed: money set aside for a hotel from 2030-05-06");
  expect(text).toContain("5.00 USDC to collection\nMeant for: Harbour Rooms, 2030-05-06 to 2030-05-09, rooms: 1");
});

it("goes once, whenever the requester is killed and however often the call is repeated", async () => {
  let died = 0;
  for (const when of ["before", "after"] as const) {
    // Left by the last pass of the other round, which was not killed.
    await setup.db.deleteFrom("message").execute();
    for (let step = 1; ; step += 1) {
      server.received.length = 0;
      const asked = buildCase(`${when}-${step}`);
      const { wrap, death } = mortalWorker(step, when);
      const deaf: Mailer = { send: () => new Promise(() => undefined), close: () => undefined };
      const dying = approvalsOver(wrap(stores), deaf).request(asked, NOTHING_MORE);
      const hasAnswered = await Promise.race([death.then(() => false), dying.then(() => true)]);
      if (hasAnswered) break;
      died += 1;
      clock.advance({ minutes: 2 });
      await reconcile();
      await approvalsOver(stores, mailer).request(asked, NOTHING_MORE);
      // The dead requester may have leased a mail once more after the clock was set, by work that it had begun beside its last step.
      const takeOver = async () => {
        clock.advance({ minutes: 2 });
        await reconcile();
        return await unfinished();
      };
      await expect.poll(takeOver, { ...PATIENT, interval: 1_000 }).toEqual([]);
      expect(written(), `${when} step ${step}`).toEqual(DECIDERS);
    }
  }
  expect(died).toBeGreaterThan(10);
});

it("does not let a token decide for the requester, even if their key has named another user", async () => {
  const owned = { tenantId, environment: "sandbox", personId: "user_asker", actor: "test" } as const;
  const { key } = await setup.open().mintKey(owned);
  const asked = buildCase("for another");
  const call = { ...asked.call, keyId: key.id, subject: "user_other" };
  const { approvalId } = await approvalsOver(stores, mailer).request({ ...asked, call }, NOTHING_MORE);
  const approval = await stores.approvals.findSigned(approvalId);
  if (approval === undefined) throw new Error("It was not asked for.");
  const decideFor = (approvedBy: string) =>
    decideApproval(
      stores,
      approval,
      { kind: "token", name: "desk", approvedBy },
      { to: "approved", reason: undefined },
    );
  for (const name of ["user_other", "user_asker"]) {
    await expect(decideFor(name)).rejects.toMatchObject({ code: "may_not_decide" });
  }
  expect(await decideFor("user_grace")).toMatchObject({ state: "approved", decidedBy: "desk for user_grace" });
});

it("stays in the service where mails of the sandbox are kept", async () => {
  const { approvalId } = await approvalsOver(stores, mailer, "sandbox").request(buildCase("kept"), NOTHING_MORE);
  const keptFor = async () => {
    const kept = await setup.db.selectFrom("message").select("userId").where("state", "=", "kept").execute();
    return kept.map(({ userId }) => userId).toSorted();
  };
  await expect.poll(keptFor, PATIENT).toEqual(["user_boss", "user_grace"]);
  expect(approvalId).toMatch(/^apr_/);
  // Mails of the previous test may still arrive.
  expect(server.received.filter(({ parsed }) => parsed.text?.includes(approvalId))).toEqual([]);
});
