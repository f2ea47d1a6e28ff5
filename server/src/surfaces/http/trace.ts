import { type RandomBytes, systemRandom } from "../../domain/ids.ts";

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?$/;

/** The trace id of a valid W3C `traceparent`. */
export function continuedTraceId(traceparent: string): string | undefined {
  return TRACEPARENT.exec(traceparent)?.[1];
}

/** The caller's W3C trace id if it sent a valid `traceparent`, else a new one: 32 hexadecimal digits. */
export function chooseTraceId(traceparent: string | undefined, random: RandomBytes = systemRandom): string {
  const continued = traceparent === undefined ? undefined : continuedTraceId(traceparent);
  return continued ?? random(16).toHex();
}
