import { createHmac, timingSafeEqual } from "node:crypto";
import type { ChatRequest } from "../../ports/chat.ts";

/** A request that is older may have been recorded and sent again. */
const WINDOW_SECONDS = 300;
const SIGNATURE = /^v0=[0-9a-f]{64}$/;

/** https://docs.slack.dev/authentication/verifying-requests-from-slack */
export function isSignedBySlack({ text, header }: ChatRequest, signingSecret: string, nowSeconds: number): boolean {
  const timestamp = header("x-slack-request-timestamp") ?? "";
  const signature = header("x-slack-signature") ?? "";
  if (!/^\d{1,12}$/.test(timestamp) || !SIGNATURE.test(signature)) return false;
  if (Math.abs(nowSeconds - Number(timestamp)) > WINDOW_SECONDS) return false;
  const expected = `v0=${createHmac("sha256", signingSecret).update(`v0:${timestamp}:${text}`).digest("hex")}`;
  return timingSafeEqual(Buffer.from(expected), Buffer.from(signature));
}
