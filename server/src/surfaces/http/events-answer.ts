import type { SentEvent } from "../../kernel/contracts/route.ts";
import { within } from "../../platform/batching/within.ts";
import { SIGNATURE_HEADER } from "./audit-headers.ts";
import { isObject } from "./bodies/json-body.ts";
import { EVENT_STREAM, type HttpAnswer, type HttpRequest } from "./http.ts";

/** One event a line. */
const LINES = "application/x-ndjson";
const DOCUMENT = "application/json";

/** The members with which a document begins, from those of its events. */
export type Summarize = (events: readonly Readonly<Record<string, unknown>>[]) => Readonly<Record<string, unknown>>;

type Format = typeof LINES | typeof EVENT_STREAM | typeof DOCUMENT;

/** Proxies and clients give up on connections that are silent for longer. */
const SILENCE_MILLISECONDS = 15_000;
const COMMENT = ":\n\n";

/**
 * Answers with events in the format that the caller accepts: lines of JSON, server-sent events, or one document once all
 * events are there. The last event's `signature` is also sent as a trailer; a document is signed as every other answer.
 */
export async function answerWithEvents(
  request: Pick<HttpRequest, "header">,
  events: AsyncIterable<SentEvent>,
  summarize?: Summarize,
): Promise<HttpAnswer> {
  const format = chooseFormat(request.header("accept"));
  if (format === DOCUMENT) {
    return { status: 200, headers: contentType(DOCUMENT), body: await writeDocument(events, summarize) };
  }
  let last = "";
  const noted = noteEach(events, ({ line }) => {
    last = line;
  });
  return {
    status: 200,
    // Proxies that collect an answer before they hand it on make nothing of a stream.
    headers: { ...contentType(format), "x-accel-buffering": "no" },
    body: "",
    stream: format === LINES ? writeLines(noted) : writeServerSentEvents(noted),
    trailers: {
      names: [SIGNATURE_HEADER],
      read() {
        const signature = readMembers(last).signature;
        return typeof signature === "string" ? { [SIGNATURE_HEADER]: signature } : {};
      },
    },
  };
}

const contentType = (format: Format) => ({ "content-type": `${format}; charset=utf-8` });

/** A document only for a caller that accepts nothing else, as many clients name JSON before anything. */
function chooseFormat(accept: string | undefined): Format {
  const types = (accept ?? "")
    .split(",")
    .map((item) => item.split(";")[0]?.trim().toLowerCase() ?? "")
    .filter((type) => type !== "");
  if (types.includes(LINES)) return LINES;
  if (types.includes(EVENT_STREAM)) return EVENT_STREAM;
  return types.length > 0 && types.every((type) => type === DOCUMENT) ? DOCUMENT : LINES;
}

async function* noteEach(
  events: AsyncIterable<SentEvent>,
  note: (event: SentEvent) => void,
): AsyncGenerator<SentEvent> {
  for await (const event of events) {
    note(event);
    yield event;
  }
}

async function* writeLines(events: AsyncIterable<SentEvent>): AsyncGenerator<string> {
  for await (const { line } of events) yield `${line}\n`;
}

async function* writeServerSentEvents(events: AsyncIterable<SentEvent>): AsyncGenerator<string> {
  const iterator = events[Symbol.asyncIterator]();
  let next = iterator.next();
  try {
    for (;;) {
      const arrived = await within(SILENCE_MILLISECONDS, next);
      if (arrived === undefined) {
        yield COMMENT;
        continue;
      }
      const { done, value } = arrived.result;
      if (done === true) return;
      yield `id: ${value.sequence}\ndata: ${value.line}\n\n`;
      next = iterator.next();
    }
  } finally {
    await iterator.return?.();
  }
}

/** Begins with what the events tell as a whole, if their sender says what that is. */
async function writeDocument(events: AsyncIterable<SentEvent>, summarize: Summarize | undefined): Promise<string> {
  const lines: string[] = [];
  for await (const { line } of events) lines.push(line);
  const summary = JSON.stringify({ ok: true, ...summarize?.(lines.map(readMembers)) });
  return `${summary.slice(0, -1)},"events":[${lines.join(",")}]}`;
}

function readMembers(line: string): Readonly<Record<string, unknown>> {
  const value: unknown = line === "" ? {} : JSON.parse(line);
  return isObject(value) ? value : {};
}
