import { ServiceError } from "./answers.ts";
import type { ConversationEvent, NamedTurn, OwnTurn } from "./generated/conversation.ts";
import { fillPath } from "./paths.ts";
import { describeCause, refuse } from "./refusals.ts";
import { isGenuine } from "./signature.ts";
import { readEvents } from "./stream.ts";
import type { Attempted, OutgoingRequest, Transport } from "./transport.ts";

interface ConversationOptions {
  /** Ends the reading. The turn goes on: `routes.stopConversation` stops it. */
  readonly signal?: AbortSignal | undefined;
  /** How the events are sent. Default: `ndjson`. */
  readonly format?: "ndjson" | "sse" | undefined;
}

export interface TurnOptions extends ConversationOptions {
  /** The same key and turn give the same events again. Default: a new random one. */
  readonly idempotencyKey?: string | undefined;
}

export interface FollowOptions extends ConversationOptions {
  /** The number of the last event that you have. Default: 0, for all. */
  readonly after?: number | undefined;
  /** The traveler whose conversation it is, if the key acts for several. */
  readonly userId?: string | undefined;
}

const DISPATCH_PATH = "/api/agent/dispatch";
const EVENTS_PATH = "/api/conversations/{conversationId}/events";
const formats = { ndjson: "application/x-ndjson", sse: "text/event-stream" } as const;

/** Reads a turn's events to its end, over broken connections. */
export async function* converse(
  transport: Transport,
  turn: OwnTurn | NamedTurn,
  options: TurnOptions,
): AsyncGenerator<ConversationEvent, void> {
  const { idempotencyKey = crypto.randomUUID() } = options;
  const userId = "userId" in turn ? turn.userId : undefined;
  const lines: string[] = [];
  let position: { conversationId: string; after: number } | undefined;
  const open = async () =>
    position === undefined
      ? await transport.open({
          method: "POST",
          path: DISPATCH_PATH,
          body: turn,
          headers: { "idempotency-key": idempotencyKey, accept: formats[options.format ?? "ndjson"] },
          repetition: "repeatable",
          isSigned: false,
          signal: options.signal,
        })
      : await transport.open(eventsRequest(position.conversationId, { ...options, userId, after: position.after }));
  for await (const { line, event } of readOn(transport, open, options.signal)) {
    if (event.type === "turn_started") position = { conversationId: event.conversationId, after: event.sequence };
    if (position !== undefined) position.after = event.sequence;
    if (event.type === "turn_ended") await checkTurn(transport, lines, event);
    lines.push(line);
    yield event;
    if (event.type === "turn_ended") return;
  }
}

/** Reads the stored events after a number, then those to come, until no turn runs. */
export async function* followConversation(
  transport: Transport,
  conversationId: string,
  options: FollowOptions,
): AsyncGenerator<ConversationEvent, void> {
  let { after = 0 } = options;
  const open = async () => await transport.open(eventsRequest(conversationId, { ...options, after }));
  for await (const { event } of readOn(transport, open, options.signal, { endsItself: true })) {
    after = event.sequence;
    yield event;
  }
}

function eventsRequest(conversationId: string, { after, userId, format = "ndjson", signal }: FollowOptions) {
  return {
    method: "GET",
    path: fillPath(EVENTS_PATH, { conversationId, after, userId }),
    headers: { accept: formats[format] },
    repetition: "repeatable",
    isSigned: false,
    signal,
  } as const satisfies OutgoingRequest;
}

/** Opens the stream again whenever it breaks; gives up if several attempts in a row bring no event. */
async function* readOn(
  { settings }: Transport,
  open: () => Promise<Attempted<Response>>,
  signal: AbortSignal | undefined,
  { endsItself = false } = {},
): AsyncGenerator<{ line: string; event: ConversationEvent }, void> {
  for (let failures = 0; ; failures += 1) {
    const opened = await open();
    if ("problem" in opened) throw new ServiceError(opened);
    let detail = "the stream ended before the turn did";
    try {
      for await (const line of readEvents(opened.value)) {
        failures = 0;
        // The service's events have the types of its description.
        const event: ConversationEvent = JSON.parse(line);
        yield { line, event };
      }
      if (endsItself) return;
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      signal?.throwIfAborted();
      detail = describeCause(error);
    }
    if (failures >= settings.attempts) throw new ServiceError(refuse("connection_failed", { detail }));
  }
}

/** The last event signs all lines before it. */
async function checkTurn(
  { settings: { signingSecret } }: Transport,
  lines: readonly string[],
  { signature }: Extract<ConversationEvent, { type: "turn_ended" }>,
): Promise<void> {
  if (signingSecret === undefined) return;
  const { traceId } = JSON.parse(lines[0] ?? "{}");
  const body = lines.map((line) => `${line}\n`).join("");
  // A turn that is read again later was signed when it ended.
  const options = { toleranceSeconds: Number.POSITIVE_INFINITY };
  if (await isGenuine({ signature, traceId: String(traceId), body }, signingSecret, options)) return;
  throw new ServiceError(refuse("signature_invalid", { traceId: String(traceId) }));
}
