import { z } from "zod";
import { buildScope } from "../../domain/scopes.ts";
import { defineRoute } from "../../kernel/contracts/route.ts";
import type { Stores } from "./context.ts";
import type { SessionRecord } from "./sign-ins.ts";

interface SessionPorts {
  stores: Pick<Stores, "signIns" | "persons">;
}

const SessionAnswer = z.object({
  sessionId: z.string(),
  browser: z.string().describe("As the browser names itself"),
  address: z.string().describe("From where it was signed in"),
  createdAt: z.string(),
  provedAt: z.string().describe("When the person last proved who they are"),
  seenAt: z.string().describe("Within a minute"),
  expiresAt: z.string(),
});

const example = {
  sessionId: "sgn_01KAJ2M5Q6R7S8T9V0W1X2Y3Z4",
  browser: "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
  address: "192.0.2.17",
  createdAt: "2030-01-01T09:00:00Z",
  provedAt: "2030-01-01T09:00:00Z",
  seenAt: "2030-01-01T09:10:00Z",
  expiresAt: "2030-01-15T09:00:00Z",
};

const OWN = buildScope("account", "read");
const SESSION_ID = /^sgn_[0-9A-Z]{26}$/;

const listSessions = defineRoute({
  id: "get_sessions",
  method: "GET",
  path: "/api/sessions",
  tag: "account",
  summary: "List your sessions",
  description: "Where the person of this key or session is signed in. An agent's key has none.",
  scope: OWN,
  answers: { 200: { description: "Newest first.", schema: z.object({ sessions: z.array(SessionAnswer) }) } },
  errors: {},
  example: { answer: { sessions: [example] } },
  async run({ principal: { tenantId, environment, personId } }, { stores }: SessionPorts) {
    if (personId === undefined) return { sessions: [] };
    const sessions = await stores.signIns.listSessions({ tenantId, environment, personId });
    return { sessions: sessions.map(describeSession) };
  },
});

const endSession = defineRoute({
  id: "end_session",
  method: "DELETE",
  path: "/api/sessions/:sessionId",
  tag: "account",
  summary: "End a session",
  description: "Signs the person of this key or session out of a browser, at once.",
  scope: OWN,
  params: z.object({ sessionId: z.string().regex(SESSION_ID) }),
  answers: {
    200: { description: "It has ended.", schema: z.object({ sessionId: z.string(), ended: z.literal(true) }) },
  },
  errors: { not_found: "This person has no such session." },
  example: { answer: { sessionId: example.sessionId, ended: true } },
  async run({ principal: { tenantId, environment, personId }, params: { sessionId }, fail }, { stores }: SessionPorts) {
    const isEnded =
      personId !== undefined && (await stores.signIns.endSession(sessionId, { tenantId, environment, personId }));
    if (!isEnded) throw fail("not_found");
    return { sessionId, ended: true as const };
  },
});

export const sessionRoutes = [listSessions, endSession];

function describeSession({ id, browser, address, createdAt, provedAt, seenAt, expiresAt }: SessionRecord) {
  return {
    sessionId: id,
    browser,
    address,
    createdAt: createdAt.toString(),
    provedAt: provedAt.toString(),
    seenAt: seenAt.toString(),
    expiresAt: expiresAt.toString(),
  };
}
