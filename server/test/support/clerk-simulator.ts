import { randomBytes, randomInt } from "node:crypto";
import { z } from "zod";
import { type Answer, type ScriptedServer, startScriptedServer } from "./scripted-server.ts";

/** Clerk's API keys over the wire that its description of the Backend API, version 2026-05-12, has. */
export interface ClerkSimulator {
  /** For `CLERK_API_URL`. */
  url: string;
  server: ScriptedServer;
  /** Answered in place of the next ones of these paths until it is undefined again. */
  fault: Answer | undefined;
  faultOf: RegExp;
  /** True: a request is done before its fault is answered. */
  isDone: boolean;
  keys: Map<string, SimulatedKey>;
  /** As in Clerk's own component, or by its dashboard. */
  make(key: Partial<SimulatedKey> & { subject: string }): SimulatedKey;
  /** Requests of these paths. */
  count(path: RegExp): number;
  close(): Promise<void>;
}

interface SimulatedKey {
  id: string;
  secret: string;
  subject: string;
  name: string;
  scopes: readonly string[];
  claims: unknown;
  revoked: boolean;
  expiration: number | null;
}

export const CLERK_SECRET_KEY = "sk_test_simulated";
export const newOrganization = (): string => `org_${letters(27)}`;

const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const letters = (count: number) => Array.from({ length: count }, () => LETTERS[randomInt(LETTERS.length)]).join("");

const Create = z.strictObject({
  name: z.string().min(3),
  subject: z.string().regex(/^(?:user|org|mch|scim)_\w{27}$/),
  claims: z.unknown(),
  scopes: z.array(z.string()).default([]),
  seconds_until_expiration: z.number().positive().nullish(),
});
const Verify = z.strictObject({ secret: z.string() });
const Revoke = z.strictObject({ revocation_reason: z.string().nullish() });

const refuse = (status: number, code: string): Answer => ({
  status,
  json: { errors: [{ message: code, long_message: code, code }] },
});

export async function startClerkSimulator(now = () => Date.now()): Promise<ClerkSimulator> {
  const keys = new Map<string, SimulatedKey>();
  const describe = (key: SimulatedKey) => ({
    object: "api_key",
    id: key.id,
    type: "api_key",
    subject: key.subject,
    name: key.name,
    claims: key.claims,
    scopes: key.scopes,
    revoked: key.revoked,
    revocation_reason: null,
    expired: key.expiration !== null && key.expiration <= now(),
    expiration: key.expiration,
    created_by: null,
    last_used_at: null,
    created_at: 1_753_743_316_590,
    updated_at: 1_753_743_316_590,
  });
  const make: ClerkSimulator["make"] = (given) => {
    const key: SimulatedKey = {
      id: `ak_${randomBytes(16).toString("hex")}`,
      secret: `ak_${letters(32)}`,
      name: "Made at Clerk",
      scopes: [],
      claims: null,
      revoked: false,
      expiration: null,
      ...given,
    };
    keys.set(key.id, key);
    return key;
  };

  function list(query: Readonly<Record<string, string>>): Answer {
    const { subject = "", include_invalid: invalid = "false", limit = "10", offset = "0" } = query;
    const all = [...keys.values()].filter((key) => key.subject === subject).map(describe);
    const wanted = all.filter((key) => invalid === "true" || (!key.revoked && !key.expired));
    const data = wanted.slice(Number(offset), Number(offset) + Number(limit));
    return { status: 200, json: { data, total_count: wanted.length } };
  }

  function create(body: unknown): Answer {
    const read = Create.safeParse(body);
    if (!read.success) return refuse(400, "bad_request");
    const { seconds_until_expiration: seconds, claims = null, ...given } = read.data;
    const key = make({ ...given, claims, expiration: seconds == null ? null : now() + seconds * 1_000 });
    return { status: 200, json: { ...describe(key), secret: key.secret } };
  }

  function verify(body: unknown): Answer {
    const read = Verify.safeParse(body);
    if (!read.success) return refuse(400, "bad_request");
    const key = [...keys.values()].find(({ secret }) => secret === read.data.secret);
    return key === undefined ? refuse(404, "api_key_not_found") : { status: 200, json: describe(key) };
  }

  function answer(method: string, path: string, query: Readonly<Record<string, string>>, body: unknown): Answer {
    if (path === "/v1/api_keys") return method === "GET" ? list(query) : create(body);
    if (path === "/v1/api_keys/verify") return verify(body);
    const [, id = "", action] = /^\/v1\/api_keys\/([^/]+)(?:\/(\w+))?$/.exec(path) ?? [];
    const key = keys.get(id);
    if (key === undefined) return refuse(404, "api_key_not_found");
    if (action === "revoke" && Revoke.safeParse(body).success) key.revoked = true;
    return { status: 200, json: describe(key) };
  }

  const server = await startScriptedServer(({ method, path, query, headers, body }) => {
    if (headers.authorization !== `Bearer ${CLERK_SECRET_KEY}`) return refuse(401, "authentication_invalid");
    const { fault } = simulator;
    const isFaulty = fault !== undefined && simulator.faultOf.test(path);
    const answered = !isFaulty || simulator.isDone ? answer(method, path, query, body) : fault;
    return isFaulty ? fault : answered;
  });
  const simulator: ClerkSimulator = {
    url: `${server.url}/v1`,
    server,
    fault: undefined,
    faultOf: /./,
    isDone: false,
    keys,
    make,
    count: (path) => server.requests.filter((request) => path.test(request.path)).length,
    close: () => server.close(),
  };
  return simulator;
}
