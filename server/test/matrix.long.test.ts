import { createHmac } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { catalog } from "../src/contributions.ts";
import { personalScopes } from "../src/domain/scopes.ts";
import { type PersonRole, personRoles } from "../src/modules/identity/index.ts";
import type { BrowserLike, Page } from "./support/browser-like.ts";
import { type Escrow, openEscrow } from "./support/escrow.ts";
import { signedInBrowser } from "./support/oauth-clients.ts";
import { makeOwnRecords } from "./support/own-records.ts";
import type { TestService } from "./support/service.ts";
import { openSharedService } from "./support/shared-service.ts";
import { newFundedTenant } from "./support/treasury.ts";

/**
 * Every described route by every role, with records of the own tenant and of another one. The routes and their scopes are those of
 * `/api/openapi.json`; the rights of the roles are written down here, not taken from the code.
 */

const isRead = (scope: string): boolean => scope.endsWith(":read") && scope !== "travelers:read";
const isAgents = (scope: string): boolean => !personalScopes.includes(scope);
const readByApprovers = ["approvals:read", "policy:read", "trip:read", "account:read", "usage:read"];
const rights: Readonly<Record<PersonRole, (scope: string) => boolean>> = {
  traveler: isAgents,
  booker: isAgents,
  approver: (scope) => scope === "approvals:decide" || readByApprovers.includes(scope),
  finance: (scope) => scope === "approvals:decide" || (isRead(scope) && scope !== "audit:read"),
  developer: (scope) => isAgents(scope) || scope === "keys:administer" || scope === "sandbox:administer",
  auditor: isRead,
  admin: () => true,
  owner: () => true,
};

const Described = z.object({
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.looseObject({
        operationId: z.string(),
        security: z.array(z.record(z.string(), z.array(z.string()))).optional(),
        requestBody: z
          .looseObject({ content: z.record(z.string(), z.looseObject({ example: z.unknown().optional() })) })
          .optional(),
      }),
    ),
  ),
});

interface DescribedRoute {
  name: string;
  method: string;
  path: string;
  scope: string;
  body: unknown;
}

let service: TestService;
let escrow: Escrow;
let described: readonly DescribedRoute[];
let own: Readonly<Record<string, string>>;
let other: { tenantId: string; operatorKey: string };
/** By role: of the tenant whose records these are, and of another one. */
let members: Readonly<Record<"own" | "other", ReadonlyMap<PersonRole, BrowserLike>>>;

beforeAll(async () => {
  service = await openSharedService();
  escrow = openEscrow(service);
  own = await makeOwnRecords(service, escrow);
  other = await newFundedTenant(service, "Others");
  described = readDescription((await service.send("/api/openapi.json", {})).text);
  members = { own: await signInAll(service.tenantId), other: await signInAll(other.tenantId) };
});
afterAll(async () => {
  await escrow?.close();
  await service?.[Symbol.asyncDispose]();
});

function readDescription(text: string): readonly DescribedRoute[] {
  const { paths } = Described.parse(JSON.parse(text));
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { operationId, security = [], requestBody }]) => {
      const scopes = security.flatMap((one) => Object.values(one).flat());
      const [scope] = scopes;
      // Tools are tried below.
      if (path.includes("#") || scopes.length !== 1 || scope === undefined) return [];
      const body = requestBody?.content["application/json"]?.example;
      return [{ name: operationId, method: method.toUpperCase(), path, scope, body }];
    }),
  );
}

async function signInAll(tenantId: string): Promise<ReadonlyMap<PersonRole, BrowserLike>> {
  const owner = { tenantId, environment: "sandbox" } as const;
  const browsers = new Map<PersonRole, BrowserLike>();
  for (const role of personRoles) {
    const person = {
      id: `person_${role}_here`,
      name: role,
      email: `${role}@${tenantId}.example`,
      roles: [role],
    } as const;
    await service.operator(({ persons }) => persons.add(owner, person, "test"));
    browsers.set(role, await signedInBrowser(service, person.id, owner));
  }
  return browsers;
}

/** Ids of the form that the routes want, of records that nobody has. */
const absent = () => Object.fromEntries(Object.entries(own).map(([name, id]) => [name, withoutRecord(name, id)]));
const withoutRecord = (name: string, id: string): string => {
  if (name === "channel") return id;
  const end = /[0-9A-Z]{26}$|(?<=^0x)[0-9a-f]+$/.exec(id)?.[0];
  return end === undefined ? `${id}-none` : id.replace(end, "0".repeat(end.length));
};

async function send(
  browser: BrowserLike,
  { method, path, body }: DescribedRoute,
  ids: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Page & { code: unknown; scope: unknown }> {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => {
    const id = ids[name];
    if (id === undefined) throw new Error(`There is no record for the parameter ${name} yet.`);
    return encodeURIComponent(id);
  });
  const csrf = createHmac("sha256", browser.session ?? "")
    .update("csrf")
    .digest("base64url");
  const sent = method === "GET" ? {} : { json: body ?? {} };
  const page = await browser.send(filled, {
    method: method as "GET",
    ...sent,
    headers: { "x-csrf-token": csrf, ...headers },
  });
  const problem = page.status >= 400 ? JSON.parse(page.text) : {};
  return { ...page, code: problem.code, scope: problem.scope };
}

const findMember = (side: "own" | "other", role: PersonRole): BrowserLike => {
  const browser = members[side].get(role);
  if (browser === undefined) throw new Error(`Nobody has the role ${role}.`);
  return browser;
};

/** None of the records' ids is in the answer. */
function expectNoLeak({ text }: Page, about: string): void {
  for (const [name, id] of Object.entries(own)) {
    if (name !== "channel" && !id.startsWith("0000")) expect(text, `${about} tells ${name}`).not.toContain(id);
  }
  expect(text, about).not.toContain(service.tenantId);
}

test("the description names the scope of every route, and there are many", () => {
  expect(described.length).toBeGreaterThan(50);
  expect(new Set(described.map(({ scope }) => scope)).size).toBeGreaterThan(15);
});

describe.each([...personRoles])("somebody with the role %s", (role) => {
  const may = rights[role];

  test("is let in where the role allows it, and nowhere else", async () => {
    for (const route of described) {
      const about = `${role}: ${route.name}`;
      const isHarmless = route.method === "GET" || !may(route.scope);
      // Allowed writes are tried on records that nobody has.
      if (!isHarmless && !route.path.includes("{")) continue;
      const answer = await send(findMember("own", role), route, isHarmless ? own : absent());
      expect(answer.status, `${about}: ${answer.text}`).toBeLessThan(500);
      if (may(route.scope)) expect([401, 403], about).not.toContain(answer.status);
      else expect([answer.status, answer.code, answer.scope], about).toEqual([403, "missing_scope", route.scope]);
    }
  });

  test("sees and changes nothing of another tenant, whatever ids the request names", async () => {
    const before = await readAll();
    for (const route of described) {
      const about = `${role} of another tenant: ${route.name}`;
      const hasIds = route.path.includes("{");
      // The test above has those that the role does not allow. A PUT would make a record of the other tenant.
      if (!may(route.scope) || route.method === "PUT" || (!hasIds && route.method !== "GET")) continue;
      const answer = await send(findMember("other", role), route, own);
      if (hasIds && !OF_NOBODY.includes(route.name)) expect(answer.status, about).toBe(404);
      expectNoLeak(answer, about);
    }
    expect(await readAll()).toEqual(before);
  });

  test("may call the tools of the role's scopes, and no others", async () => {
    for (const { tool, scopes } of toolsByScope) {
      const isAllowed = scopes.length === 0 || scopes.some(may);
      // Allowed calls of these could do something.
      if (isAllowed && tool.effect !== "read") continue;
      const route = {
        name: tool.name,
        method: "POST",
        path: "/api/agent/dispatch",
        scope: "",
        body: { tool: tool.name, args: {} },
      };
      const { code } = await send(findMember("own", role), route, own);
      if (isAllowed) expect(code, `${role}: ${tool.name}`).not.toBe("missing_scope");
      else expect(code, `${role}: ${tool.name}`).toBe("missing_scope");
    }
  });
});

/** One for each scope. */
const toolsByScope = [...new Map(catalog.entries.map((entry) => [entry.scopes.join(), entry])).values()];

/** Its parameter names no record of a tenant. */
const OF_NOBODY: readonly string[] = ["list_channel_records"];

/** The records that the other tenant could have changed. */
async function readAll(): Promise<readonly string[]> {
  const reading = described.filter(
    ({ method, name, path }) => method === "GET" && !/usage|event|key|session|order|member/.test(`${name} ${path}`),
  );
  const reader = findMember("own", "owner");
  return await Promise.all(
    reading.map(async (route) => {
      const { status, text } = await send(reader, route, own);
      return `${route.name} ${status} ${text.replaceAll(/"(?:asOf|traceId)":"[^"]*"/g, "")}`;
    }),
  );
}

test("nobody gets further by naming another tenant or environment than the session's", async () => {
  for (const route of described) {
    const about = `owner: ${route.name}`;
    const foreign = await send(findMember("other", "owner"), route, own, { "x-tenant": `${service.tenantId}/sandbox` });
    expect([foreign.status, foreign.code], about).toEqual([401, "unauthorized"]);
    const real = await send(findMember("own", "owner"), route, own, { "x-tenant": `${service.tenantId}/production` });
    expect([real.status, real.code], about).toEqual([401, "unauthorized"]);
  }
});

test("without a sign-in, nobody is let in", async () => {
  for (const route of described) {
    const path = route.path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => own[name] ?? "");
    const json = { "content-type": "application/json", "x-tenant": `${service.tenantId}/sandbox` };
    const body = route.method === "GET" ? {} : { body: JSON.stringify(route.body ?? {}) };
    const answer = await service.send(path, { method: route.method, headers: json, ...body });
    expect([answer.status, answer.body.code], route.name).toEqual([401, "unauthorized"]);
  }
});

test("two tabs of one session act as two members, each with the roles there", async () => {
  const email = "two-tabs@example.com";
  const add = (tenantId: string, id: string, role: PersonRole) =>
    service.operator(({ persons }) =>
      persons.add({ tenantId, environment: "sandbox" }, { id, name: "Two", email, roles: [role] }, "test"),
    );
  await add(service.tenantId, "user_two_here", "admin");
  await add(other.tenantId, "user_two_there", "traveler");
  const browser = await signedInBrowser(service, "user_two_here");
  const keys = described.find(({ name }) => name === "list_keys");
  if (keys === undefined) throw new Error("The keys' route is not described.");
  const inTab = (tenantId: string) => send(browser, keys, own, { "x-tenant": `${tenantId}/sandbox` });
  const [here, there] = await Promise.all([inTab(service.tenantId), inTab(other.tenantId)]);
  expect([here.status, there.status, there.code]).toEqual([200, 403, "missing_scope"]);
});
