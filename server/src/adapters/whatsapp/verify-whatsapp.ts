import { createHmac, timingSafeEqual } from "node:crypto";
import type { ChatRequest } from "../../ports/chat.ts";

const SIGNATURE = /^sha256=[0-9a-f]{64}$/;

/** Meta signs the raw body with the app's secret, without a time: whoever replays a request is found by its events' ids. */
export function isSignedByMeta({ text, header }: ChatRequest, appSecret: string): boolean {
  const signature = header("x-hub-signature-256") ?? "";
  if (!SIGNATURE.test(signature)) return false;
  const expected = `sha256=${createHmac("sha256", appSecret).update(text).digest("hex")}`;
  return timingSafeEqual(Buffer.from(expected), Buffer.from(signature));
}
