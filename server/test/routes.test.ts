import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { routes } from "../src/contributions.ts";
import { EVERYTHING, knownScopes, personalScopes } from "../src/domain/scopes.ts";
import { type Escrow, openEscrow } from "./support/escrow.ts";
import { makeOwnRecords } from "./support/own-records.ts";
import type { TestService } from "./support/service.ts";
import { openSharedService } from "./support/shared-service.ts";
import { newFundedTenant } from "./support/treasury.ts";

/** Common to every route of every module. */

type AnyRoute = (typeof routes)[number];

const findScope = ({ access }: AnyRoute): string | undefined => (typeof access === "object" ? access.scope : undefined);
const named = (chosen: readonly AnyRoute[]) => chosen.map((route) => [`${route.method} ${route.path}`, route] as const);
const keyed = routes.filter((route) => findScope(route) !== undefined);
const keyless = routes.filter((route) => findScope(route) === undefined);
/** It changes rules that bind a key, or decides what a key asked for. */
const isPersonal = (route: AnyRoute): boolean => personalScopes.includes(findScope(route) ?? "");
/** Other routes that write, with the rule of a key that each could be mistaken for. A new route is either personal or listed here. */
const bindsNoKey: Readonly<Record<string, string>> = {
  write_traveler: "a profile, which decides nothing",
  erase_traveler: "never somebody who works for the tenant",
  unlock_trip: "a guest's claim",
  post_trip_close: "a trip's own money",
  write_invoicing: "what stands on invoices",
  revoke_invoice_files: "links to files",
  share_invoice_files: "links to files",
  start_workflow_run: "its calls are made with the key",
  resume_workflow_run: "pauses for a person ask for approvals:decide",
  cancel_workflow_run: "its calls are made with the key",
  stop_conversation: "a turn, whose calls are made with the key",
  delete_conversation: "what a traveler said",
  issue_link_code: "never for somebody who works for the tenant",
  redeem_link_code: "the traveler of the key's conversations",
  end_session: "where a person is signed in",
  disconnect_agent: "ends a key, and makes none",
  remove_conversation_link: "the traveler of the key's conversations",
  issue_channel_link_code: "never for somebody who works for the tenant, except with their own key",
  unlink_channel_person: "makes a person of a channel a stranger",
  set_notice_preferences: "where a traveler is told, never somebody who works for the tenant",
  delete_notice_preferences: "where a traveler is told, never somebody who works for the tenant",
};
/** Tables of the rules that bind a key. */
const ruleTables = [
  ...[
    "travel_policy",
    "travel_policy_enforcement",
    "budget",
    "spend_limit",
    "approval",
    "person",
    "api_key",
    "app_user",
  ],
];
const namesIn = (path: string): string[] => [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);

test("there are routes, each with an id and a path of its own", () => {
  expect(routes.length).toBeGreaterThan(10);
  expect(new Set(routes.map(({ id }) => id)).size).toBe(routes.length);
  expect(new Set(routes.map(({ method, path }) => `${method} ${path}`)).size).toBe(routes.length);
});

describe.each(named(routes))("%s", (_name, route) => {
  test("lies under /api and describes the parameters that its path names", () => {
    expect(route.path).toMatch(/^\/api\/[a-z]/);
    expect(Object.keys(route.params?.shape ?? {})).toEqual(namesIn(route.path));
  });

  test("has examples that fit its schemas", () => {
    const { body, answer } = route.example ?? {};
    if (body !== undefined) expect(route.body?.safeParse(body).error?.issues ?? []).toEqual([]);
    for (const { schema } of answer === undefined ? [] : Object.values(route.answers)) {
      expect(schema?.safeParse(answer).error?.issues ?? []).toEqual([]);
    }
    // The description of how to send something shows an example.
    expect(route.body === undefined).toBe(body === undefined);
  });

  test("asks for a scope that keys can have, or says what it counts in place of a key", () => {
    const scope = findScope(route);
    expect(route.limitByAddress === undefined).toBe(scope !== undefined);
    if (scope === undefined) expect(route.problems).toContain("rate_limited");
    else expect(knownScopes).toContain(scope);
  });
});

interface Sent {
  key?: string | null;
  body?: unknown;
  ids?: Readonly<Record<string, string>>;
}

/** Names a record in its body, as the example's record does not exist. */
const isOfRecord = (route: AnyRoute): boolean =>
  route.params === undefined &&
  route.problems.includes("not_found") &&
  Object.keys(route.body?.shape ?? {}).some((name) => name === "sessionId" || name === "code");

describe("called", () => {
  let service: TestService;
  let escrow: Escrow;
  /** A record of the demo tenant for each parameter that paths name. */
  let own: Readonly<Record<string, string>>;

  beforeAll(async () => {
    service = await openSharedService();
    escrow = openEscrow(service);
    own = await makeOwnRecords(service, escrow);
  });
  afterAll(async () => {
    await escrow?.close();
    await service?.[Symbol.asyncDispose]();
  });

  /** With the key of a person who administers, but where the agent's own key is meant. */
  function send(
    route: AnyRoute,
    { key = isPersonal(route) ? service.operatorKey : service.apiKey, body, ids = own }: Sent = {},
  ) {
    const path = route.path.replaceAll(/:(\w+)/g, (_all, name: string) => {
      const id = ids[name];
      if (id === undefined) throw new Error(`This test makes no record for the parameter ${name} yet.`);
      return encodeURIComponent(id);
    });
    return service.send(path, {
      method: route.method,
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(route.body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(route.body === undefined ? {} : { body: JSON.stringify(body ?? route.example?.body) }),
    });
  }

  /** A person's, as only those can have every scope. */
  const keyWith = async (scopes: readonly string[]) =>
    await service.operator(async ({ persons, mintKey }) => {
      const { tenantId } = service;
      const person = { id: "user_scoped", name: "Scoped", email: "scoped@example.com", roles: ["traveler"] } as const;
      await persons.add({ tenantId, environment: "sandbox" }, person, "test");
      const key = { tenantId, environment: "sandbox", personId: person.id, scopes, actor: "test" } as const;
      return (await mintKey(key)).apiKey;
    });

  /** The tenant's records except those that change by themselves. */
  async function everything(): Promise<string[]> {
    const reading = keyed.filter(
      ({ method, tag }) => method === "GET" && !["orders", "usage", "events", "keys", "sandbox"].includes(tag),
    );
    const answers = await Promise.all(reading.map((route) => send(route)));
    return answers.map(
      ({ status, text }, at) => `${reading[at]?.id} ${status} ${text.replaceAll(/"asOf":"[^"]*"/g, "")}`,
    );
  }

  test.each(named(keyed))("%s is for nobody without a good key", async (_name, route) => {
    for (const key of [null, "ak_none"]) {
      const answer = await send(route, { key });
      expect([answer.status, answer.body.code]).toEqual([401, "unauthorized"]);
      expect(answer.headers.get("www-authenticate")).toBe("Bearer");
    }
  });

  test.each(named(keyed))("%s is for no key that has every scope but its own", async (_name, route) => {
    const scope = findScope(route);
    const key = await keyWith(knownScopes.filter((known) => known !== scope && known !== EVERYTHING));
    const answer = await send(route, { key });
    expect([answer.status, answer.body.code, answer.body.scope]).toEqual([403, "missing_scope", scope]);
  });

  test.each(named(keyed.filter(isPersonal)))(
    "%s is for no agent, whose key has every scope of an agent",
    async (_name, route) => {
      const answer = await send(route, { key: service.apiKey });
      expect([answer.status, answer.body.code, answer.body.scope]).toEqual([403, "missing_scope", findScope(route)]);
      expect(answer.body.detail).toMatch(
        /^The key lacks the scope \S+, which \w+ needs\. Only a person's own key can have it/,
      );
      // An endpoint that is not there: other tests need the one that is. No airline moves the order's flight either.
      const ids = {
        ...own,
        orderId: "ord_none",
        endpointId: `whe_${"0".repeat(26)}`,
        channelId: `chn_${"0".repeat(26)}`,
      };
      expect((await send(route, { ids })).body.code).not.toBe("missing_scope");
    },
  );

  test("every one of another tenant's key finds nothing of this tenant's, and changes nothing", async () => {
    const { tenantId } = await newFundedTenant(service, "Others");
    const owner = { tenantId, environment: "sandbox" } as const;
    const person = { id: "user_other", name: "Other", email: "other@example.com", roles: ["admin"] } as const;
    const key = await service.operator(async ({ persons, mintKey }) => {
      await persons.add(owner, person, "test");
      const scopes = [EVERYTHING, ...personalScopes];
      return (await mintKey({ tenantId, environment: "sandbox", personId: person.id, scopes, actor: "test" })).apiKey;
    });
    const before = await everything();
    for (const line of before) expect(line).toMatch(/^\w+ 200 /);
    // Routes that create a record of the other tenant come last.
    for (const route of keyed.toSorted((one, other) => Number(one.method === "PUT") - Number(other.method === "PUT"))) {
      const answer = await send(route, { key });
      if (route.id === "issue_link_code") {
        expect(answer.body.code, "no other key speaks for a person who works for the tenant").toBe("conflict");
      } else if (route.id === "create_tenant") {
        expect(answer.body.code, "this tenant does not operate the deployment").toBe("missing_scope");
      } else if ((route.params === undefined || route.id === "list_channel_records") && !isOfRecord(route)) {
        expect(answer.status, route.id).toBe(200);
        for (const [name, id] of Object.entries(own))
          if (name !== "channel") expect(answer.text, route.id).not.toContain(id);
      } else if (route.method === "PUT") expect(answer.status, route.id).toBe(201);
      else expect([answer.status, answer.body.code], route.id).toEqual([404, "not_found"]);
    }
    expect(await everything()).toEqual(before);
  });

  // A public route refuses nothing but a flood.
  test.each(named(keyless.filter(({ problems }) => problems.length > 1)))(
    "%s is refused to who proves nothing",
    async (_name, route) => {
      const answer = await send(route, { key: null });
      expect([401, 404]).toContain(answer.status);
      expect(route.problems).toContain(answer.body.code);
    },
  );

  test("none that an agent's key may call changes a rule that binds a key", async () => {
    const writing = keyed.filter((route) => route.method !== "GET");
    const others = writing.filter((route) => !isPersonal(route)).map(({ id }) => id);
    expect(others.toSorted()).toEqual(Object.keys(bindsNoKey).toSorted());
    const read = async () =>
      Object.fromEntries(
        await Promise.all(
          ruleTables.map(async (table) => {
            const text = `select (to_jsonb(one) - 'last_used_at')::text as row from ${table} one where tenant_id = $1 order by 1`;
            return [table, await service.sql(text, [service.tenantId])] as const;
          }),
        ),
      );
    const before = await read();
    for (const table of ["travel_policy", "travel_policy_enforcement", "approval", "person", "api_key"]) {
      expect(before[table], table).not.toEqual([]);
    }
    // Whom it would erase is somebody who works for the tenant, and what it starts ends at once.
    const person = { ...own, userId: "user_test_operator" };
    const answers = new Map<string, string>();
    for (const route of writing) {
      const { status, body } = await send(route, { key: service.apiKey, ids: person });
      answers.set(route.id, `${status} ${String(body.code)}`);
    }
    expect(await read()).toEqual(before);
    expect(answers.get("erase_traveler")).toBe("409 conflict");
  });
});
