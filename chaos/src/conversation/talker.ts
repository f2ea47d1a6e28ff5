import { createHmac } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { describeLoss } from "../client.ts";
import type { Quickstart } from "../deployment.ts";
import type { History } from "../history.ts";
import type { Random } from "../random.ts";

const PATIENCE_MILLISECONDS = 30_000;
const PAUSE_MILLISECONDS = 150;

const Event = z.looseObject({
  type: z.string(),
  sequence: z.int(),
  conversationId: z.string().optional(),
  turnId: z.string().optional(),
});
const Ended = z.looseObject({
  turnId: z.string(),
  status: z.string(),
  reply: z.string(),
  traceId: z.string(),
  signature: z.string(),
  toolCalls: z.array(z.looseObject({ tool: z.string(), outcome: z.string() })),
});
const Problem = z.object({ code: z.string(), retryable: z.boolean() });

/** A message, and what came back for it. */
export interface Said {
  readonly key: string;
  readonly text: string;
  /** The conversation that it names; undefined: it begins one. */
  readonly to: string | undefined;
  /** As the answer has it. */
  conversationId: string | undefined;
  turnId: string | undefined;
  /** Number of the turn's first event. */
  first: number | undefined;
}

export interface EndedTurn {
  readonly conversationId: string;
  readonly status: string;
  readonly reply: string;
  readonly question: string | undefined;
  readonly calls: readonly { readonly tool: string; readonly outcome: string }[];
}

interface TalkerOptions {
  access: Pick<Quickstart, "tenantId" | "apiKey" | "signingSecret">;
  /** The processes of the service. */
  urls: readonly [string, ...string[]];
  history: History;
}

/** Thrown for an answer that asking again would not change. */
class RefusedError extends Error {}

/** Speaks with whichever process answers, and goes on with the events after the last one that came whole. */
export class Talker {
  /** By conversation and number: the events as they came. */
  readonly received = new Map<string, Map<number, string>>();
  /** Whatever contradicts itself in what was received. */
  readonly problems: string[] = [];
  signatures = 0;
  /** How often a stream broke off and was taken up after the last event. */
  resumed = 0;
  readonly #options: TalkerOptions;

  constructor(options: TalkerOptions) {
    this.#options = options;
  }

  /** Says it until its turn has ended. The same `said` may be said again. */
  async say(said: Said, userId: string, random: Random, signal: AbortSignal): Promise<EndedTurn> {
    for (;;) {
      const url = random.pick(this.#options.urls);
      try {
        const ended =
          said.turnId === undefined
            ? await this.#post(url, said, userId, signal)
            : await this.#follow(url, said, userId, signal);
        if (ended !== undefined) return ended;
      } catch (error) {
        if (error instanceof RefusedError) throw error;
        signal.throwIfAborted();
        this.#record({ kind: "lost", code: describeLoss(error) });
      }
      if (said.turnId !== undefined) this.resumed += 1;
      await delay(PAUSE_MILLISECONDS, undefined, { signal });
    }
  }

  /** All events of the conversation, read by one process from the first one on. */
  async readAll(url: string, conversationId: string, userId: string, signal: AbortSignal): Promise<readonly string[]> {
    return await Array.fromAsync(readLines(await this.#get(url, conversationId, 0, userId, signal)));
  }

  async #post(url: string, said: Said, userId: string, signal: AbortSignal): Promise<EndedTurn | undefined> {
    const { to, key, text } = said;
    const { access } = this.#options;
    const response = await fetch(`${url}/api/agent/dispatch`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${access.apiKey}`,
        "content-type": "application/json",
        "idempotency-key": key,
      },
      body: JSON.stringify({
        channel: "web",
        locale: "en-GB",
        tenantId: access.tenantId,
        userId,
        text,
        ...(to === undefined ? {} : { conversationId: to }),
      }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MILLISECONDS)]),
    });
    return await this.#readTurn(response, said);
  }

  async #follow(url: string, said: Said, userId: string, signal: AbortSignal): Promise<EndedTurn | undefined> {
    const { conversationId = "" } = said;
    // From the turn's first event on: what came before the cut is compared with what comes now.
    const response = await this.#get(url, conversationId, (said.first ?? 1) - 1, userId, signal);
    return await this.#readTurn(response, said);
  }

  async #get(url: string, conversationId: string, after: number, userId: string, signal: AbortSignal) {
    const query = new URLSearchParams({ after: String(after), userId });
    return await fetch(`${url}/api/conversations/${conversationId}/events?${query}`, {
      headers: { authorization: `Bearer ${this.#options.access.apiKey}` },
      signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MILLISECONDS)]),
    });
  }

  /** Undefined: the stream ended before the turn did. */
  async #readTurn(response: Response, said: Said): Promise<EndedTurn | undefined> {
    if (response.status !== 200) {
      const problem = Problem.safeParse(await response.json().catch(() => undefined)).data;
      const code = problem?.code ?? `http_${response.status}`;
      this.#record({ kind: "refused", code, retryable: problem?.retryable ?? true });
      if (problem?.retryable === false) throw new RefusedError(`"${said.text}" was refused: ${code}`);
      return undefined;
    }
    const lines: string[] = [];
    for await (const line of readLines(response)) {
      const event = Event.parse(JSON.parse(line));
      if (event.type === "turn_started" && (said.turnId ?? event.turnId) === event.turnId) {
        said.conversationId = event.conversationId;
        said.turnId = event.turnId;
        said.first = event.sequence;
        lines.length = 0;
      }
      this.#keep(said.conversationId ?? "", event.sequence, line);
      if (event.type === "turn_ended" && event.turnId === said.turnId) return this.#end(said, lines, line);
      lines.push(line);
    }
    return undefined;
  }

  #keep(conversationId: string, sequence: number, line: string): void {
    const known = this.received.get(conversationId) ?? new Map<number, string>();
    this.received.set(conversationId, known);
    const before = known.get(sequence);
    if (before !== undefined && before !== line) {
      this.problems.push(`event ${sequence} of ${conversationId} was sent as ${before}, and then as ${line}`);
    }
    known.set(sequence, before ?? line);
  }

  #end({ conversationId = "" }: Said, lines: readonly string[], last: string): EndedTurn {
    const { status, reply, traceId, signature, toolCalls, turnId } = Ended.parse(JSON.parse(last));
    const match = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(signature);
    const mac = createHmac("sha256", this.#options.access.signingSecret).update(`${match?.[1]}.${traceId}.`);
    for (const line of lines) mac.update(line).update("\n");
    this.signatures += 1;
    if (mac.digest("hex") !== match?.[2]) this.problems.push(`the signature of ${turnId} is not that of its events`);
    this.#record({
      kind: "ok",
      result: undefined,
      meterId: undefined,
      priceMicroUsdc: 0n,
      replayed: false,
      signed: true,
    });
    const asked = lines.findLast((line) => line.startsWith('{"type":"question"'));
    const question = asked === undefined ? undefined : z.object({ slot: z.string() }).parse(JSON.parse(asked)).slot;
    return { conversationId, status, reply, question, calls: toolCalls };
  }

  #record(answer: Parameters<History["record"]>[1]): void {
    this.#options.history.record({ tool: "a turn", args: {} }, answer);
  }
}

/** Whole lines only: what a cut left of one is nothing. */
async function* readLines(response: Response): AsyncGenerator<string> {
  if (response.status !== 200 || response.body === null) throw new Error(`http_${response.status}`);
  let rest = "";
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const pieces = (rest + chunk).split("\n");
    rest = pieces.pop() ?? "";
    yield* pieces.filter((piece) => piece !== "");
  }
}
