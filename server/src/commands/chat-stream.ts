import { setTimeout } from "node:timers/promises";
import { z } from "zod";

/** A turn's events, from the service's own address: followed to the end, whatever happens to the connection. */

const Event = z.looseObject({ type: z.string(), sequence: z.number() });
export type ChatEvent = z.output<typeof Event>;

const Problem = z.object({ code: z.string(), detail: z.string() });
const Started = z.object({ conversationId: z.string() });

export interface Service {
  url: string;
  key: string;
}

const IssuedCode = z.object({ code: z.string(), expiresAt: z.string() });
const Redeemed = z.object({ userId: z.string() });

const MOST_CUTS = 20;
const PAUSE_MILLISECONDS = 500;

interface Following {
  /** Called when the service does not answer, before it is asked again. */
  onAway(): void;
  /** Ends the wait for an answer; the turn goes on. */
  signal: AbortSignal;
}

/** Sends what the user said, and gives the events of the turn. */
export async function* sayTo(
  service: Service,
  body: Readonly<Record<string, unknown>>,
  { onAway, signal }: Following,
): AsyncGenerator<ChatEvent> {
  // A repeated request is the same turn.
  const headers = { "idempotency-key": crypto.randomUUID(), "content-type": "application/json" };
  const begin = () =>
    request(service, "/api/agent/dispatch", { method: "POST", headers, body: JSON.stringify(body), signal });
  let conversationId: string | undefined;
  let last = 0;
  for (let cuts = 0; ; cuts += 1) {
    const path = `/api/conversations/${conversationId}/events?after=${last}`;
    try {
      const response = await (conversationId === undefined ? begin() : request(service, path, { signal }));
      for await (const event of readEvents(response)) {
        if (event.sequence <= last) continue;
        last = event.sequence;
        if (event.type === "turn_started") conversationId = Started.parse(event).conversationId;
        yield event;
        if (event.type === "turn_ended") return;
      }
    } catch (error) {
      if (error instanceof Refusal) throw error;
    }
    if (signal.aborted) return;
    if (cuts === MOST_CUTS) {
      const problem = conversationId === undefined ? "does not answer. Is it running?" : "did not finish the turn.";
      throw new Error(`The service at ${service.url} ${problem}`);
    }
    if (cuts === 0) onAway();
    await setTimeout(PAUSE_MILLISECONDS, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
  }
}

export async function stopTurn(service: Service, conversationId: string): Promise<void> {
  await request(service, `/api/conversations/${conversationId}/stop`, { method: "POST" });
}

/** A code with which another key joins the traveler. */
export async function issueCode(service: Service, userId: string | undefined): Promise<z.output<typeof IssuedCode>> {
  const query = userId === undefined ? "" : `?userId=${encodeURIComponent(userId)}`;
  const response = await request(service, `/api/conversation-link-codes${query}`, { method: "POST" });
  return IssuedCode.parse(await response.json());
}

/** Returns the traveler whose conversations the key has from now on. */
export async function redeemCode(service: Service, code: string): Promise<string> {
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ code });
  const response = await request(service, "/api/conversation-links", { method: "POST", headers, body });
  return Redeemed.parse(await response.json()).userId;
}

/** The service refused the request: sending it again does not help. */
class Refusal extends Error {}

async function request({ url, key }: Service, path: string, init: RequestInit): Promise<Response> {
  const headers = { ...Object(init.headers), authorization: `Bearer ${key}`, accept: "application/x-ndjson" };
  const response = await fetch(url + path, { ...init, headers });
  if (response.ok) return response;
  const problem = Problem.safeParse(await response.json().catch(() => undefined)).data;
  const text = problem === undefined ? `The service answered ${response.status}.` : problem.detail;
  throw response.status < 500 ? new Refusal(text) : new Error(text);
}

async function* readEvents({ body }: Response): AsyncGenerator<ChatEvent> {
  if (body === null) return;
  let rest = "";
  for await (const piece of body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield Event.parse(JSON.parse(line));
  }
}
