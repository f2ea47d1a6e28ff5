import { expect } from "vitest";
import { routes } from "../../src/contributions.ts";
import { newId, systemRandom } from "../../src/domain/ids.ts";
import { personalScopes } from "../../src/domain/scopes.ts";
import type { Escrow } from "./escrow.ts";
import type { Answer, TestService } from "./service.ts";
import { requireResult } from "./treasury.ts";

/** Calls the route with a body, or with that of its example, as the operator where agents may not. */
type Send = (id: string, body?: unknown) => Promise<Answer>;

const makeId = (prefix: string): string => newId(prefix, Date.now(), systemRandom);

/** A record of the service's tenant for each parameter that paths name. */
export async function makeOwnRecords(service: TestService, escrow: Escrow): Promise<Readonly<Record<string, string>>> {
  let own: Record<string, string> = {};
  const send: Send = async (id, body) => {
    const route = routes.find((one) => one.id === id);
    if (route === undefined) throw new Error(`There is no route ${id}.`);
    const path = route.path.replaceAll(/:(\w+)/g, (_all, name: string) => encodeURIComponent(own[name] ?? ""));
    const isPersonal = typeof route.access === "object" && personalScopes.includes(route.access.scope);
    return await service.send(path, {
      method: route.method,
      headers: {
        authorization: `Bearer ${isPersonal ? service.operatorKey : service.apiKey}`,
        "content-type": "application/json",
      },
      body: JSON.stringify(body ?? route.example?.body),
    });
  };
  await service.isFunded(service.tenantId);
  const tripId = await escrow.prefund("5");
  const bookingId = await escrow.reserve(tripId, "2");
  // Anyone with a file's address may read it: the tests have none.
  const fileAddress = `${"0".repeat(32)}.png`;
  own = {
    tripId,
    bookingId,
    orderId: await bookFlight(service),
    userId: "user_own",
    policyId: "own-policy",
    fileAddress,
  };
  own = { ...own, invoiceNumber: "SANDBOX-INV-000001", invoiceFile: `${"0".repeat(32)}.pdf` };
  expect((await send("write_traveler", { givenName: "Own" })).status).toBe(201);
  expect((await send("write_policy")).status).toBe(201);
  const input = { tripId, origin: "LHR", destination: "JFK", departureDate: "2030-01-01" };
  const run = await send("start_workflow_run", { workflowId: "service.book_flight", input });
  expect(run.body, "it waits for the guest's claim").toMatchObject({ status: "paused" });
  own = {
    ...own,
    runId: String(run.body.runId),
    approvalId: await askForApproval(service, send),
    conversationId: await converse(service),
    endpointId: String((await send("add_event_endpoint")).body.id),
    ...(await addChannel(service, send)),
  };
  own = {
    ...own,
    linkId: await joinKey(service),
    channel: "email",
    recordId: await failToSend(service),
    sessionId: await signIn(service),
    connectionId: await connectAgent(service),
    memberId: await addMember(service),
  };
  const { key } = (await send("mint_key")).body;
  own = { ...own, keyId: String(Object(key).keyId), tenantId: service.tenantId };
  return own;
}

async function askForApproval(service: TestService, send: Send): Promise<string> {
  expect((await send("write_policy", { document: { payments: { maxAmountUsd: 1 } } })).status).toBe(200);
  const enforce = (policyId: string | null) => send("write_policy_enforcement", { policyId });
  await enforce("own-policy");
  const refused = await service.call("send_tokens", { to: `0x${"7".repeat(40)}`, amount: "2", token: "USDC" });
  expect(refused.body.code).toBe("approval_required");
  await enforce(null);
  return String(refused.body.approvalId);
}

async function failToSend(service: TestService): Promise<string> {
  const id = makeId("msg_");
  await service.sql(
    `insert into message (id, tenant_id, network, kind, message_key, state, expires_at, failure_code, created_at, updated_at, record_id)
     values ($1, $2, 'sandbox', 'nobody sends it', 'key', 'failed', now(), 'mail_refused', now(), now(), 'record')`,
    [id, service.tenantId],
  );
  return id;
}

async function addChannel(service: TestService, send: Send) {
  const channelId = String((await send("add_channel")).body.id);
  const personId = makeId("chp_");
  await service.sql(
    `insert into channel_person (id, channel_id, tenant_id, network, external_id, user_id, key_id, created_at)
     values ($1, $2, $3, 'sandbox', 'U0OWN', 'user_own', 'key_own', now())`,
    [personId, channelId, service.tenantId],
  );
  return { channelId, personId, app: channelId };
}

async function joinKey(service: TestService): Promise<string> {
  const linkId = makeId("lnk_");
  await service.sql(
    "insert into conversation_link values ($1, $2, 'sandbox', 'email', 'a@example.com', 'user_own', now())",
    [linkId, service.tenantId],
  );
  return linkId;
}

/** A session of somebody who works for the tenant. */
async function signIn(service: TestService): Promise<string> {
  const sessionId = makeId("sgn_");
  await service.sql(
    "insert into sign_in_session values ($1, $2, $3, 'sandbox', 'user_test_operator', true, now(), now(), now(), now() + interval '1 day', null, '', '')",
    [sessionId, `hash of ${sessionId}`, service.tenantId],
  );
  return sessionId;
}

/** Somebody who was invited, and has not signed in. */
async function addMember(service: TestService): Promise<string> {
  const member = { id: "user_member", name: "Member", email: "member@example.com", roles: ["traveler"] } as const;
  const owner = { tenantId: service.tenantId, environment: "sandbox" } as const;
  await service.operator(({ persons }) => persons.add(owner, member, "test"));
  return member.id;
}

/** An agent that somebody who works for the tenant has connected. */
async function connectAgent(service: TestService): Promise<string> {
  const [connectionId, keyId] = [makeId("con_"), makeId("key_")];
  await service.sql(
    `insert into api_key (id, tenant_id, person_id, kind, name, key_hash, start, scopes, environment, created_at)
     values ($2, $1, 'user_test_operator', 'grant', 'agent', $3, '', '{}', 'sandbox', now())`,
    [service.tenantId, keyId, `hash of ${keyId}`],
  );
  await service.sql(
    `insert into connected_agent (id, key_id, tenant_id, network, person_id, client_id, client_name, resource, created_at)
     values ($1, $3, $2, 'sandbox', 'user_test_operator', 'client', 'agent', 'resource', now())`,
    [connectionId, service.tenantId, keyId],
  );
  return connectionId;
}

/** As the operator, whose conversations the routes are asked about. */
async function converse(service: TestService): Promise<string> {
  const answer = await service.send("/api/agent/dispatch", {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json",
      authorization: `Bearer ${service.apiKey}`,
    },
    body: JSON.stringify({ channel: "web", input: "Hello" }),
  });
  return String(answer.body.conversationId);
}

async function bookFlight(service: TestService): Promise<string> {
  const departureDate = Temporal.Now.plainDateISO("UTC").add({ days: 60 }).toString();
  const found = requireResult(
    await service.call("search_flights", { origin: "LHR", destination: "JFK", departureDate }),
  );
  const [offer] = Array.isArray(found.offers) ? found.offers : [];
  return String(requireResult(await service.call("book_flight", { offerId: offer.id })).orderId);
}
