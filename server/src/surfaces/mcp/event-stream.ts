import type { Clock } from "../../ports/clock.ts";
import { METER_ID_HEADER, SIGNATURE_HEADER, signature } from "../http/audit-headers.ts";
import type { Visit } from "./visit.ts";

const FRAME_END = "\n\n";

/**
 * Forwards the library's event stream. Its headers left before the answer was known, so the meter id and the signature of the
 * last message's data follow that message as comment lines.
 */
export async function* signStream(
  body: ReadableStream<Uint8Array>,
  visit: Visit,
  clock: Clock,
  close: () => Promise<void>,
): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let last = "";
  let rest = "";
  try {
    for await (const bytes of body) {
      rest += decoder.decode(bytes, { stream: true });
      const frames = rest.split(FRAME_END);
      rest = frames.pop() ?? "";
      for (const frame of frames) {
        last = readData(frame) ?? last;
        yield `${frame}${FRAME_END}`;
      }
    }
    yield trailer(last, visit, clock);
  } finally {
    await close();
    await visit.running;
  }
}

function readData(frame: string): string | undefined {
  const lines = frame.split("\n").filter((line) => line.startsWith("data: "));
  return lines.length === 0 ? undefined : lines.map((line) => line.slice(6)).join("\n");
}

function trailer(data: string, { exchange, headers }: Visit, clock: Clock): string {
  const seconds = Math.floor(clock.now().epochMilliseconds / 1000);
  const meterId = headers[METER_ID_HEADER];
  return [
    ...(meterId === undefined ? [] : [`: ${METER_ID_HEADER}: ${meterId}`]),
    `: ${SIGNATURE_HEADER}: ${signature(exchange.signingSecret, seconds, exchange.traceId, data)}${FRAME_END}`,
  ].join("\n");
}
