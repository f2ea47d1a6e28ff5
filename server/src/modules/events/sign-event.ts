import { createHmac } from "node:crypto";
import type { RandomBytes } from "../../domain/ids.ts";

const PREFIX = "whsec_";
const SECRET_BYTES = 32;

export function newSecret(random: RandomBytes): string {
  return PREFIX + Buffer.from(random(SECRET_BYTES)).toString("base64");
}

/** The headers of the Standard Webhooks specification. Each secret signs, so that a receiver may have either during a rotation. */
export function signEvent(
  { id, seconds, body }: { id: string; seconds: number; body: string },
  secrets: readonly string[],
): Readonly<Record<string, string>> {
  const signed = `${id}.${seconds}.${body}`;
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), "base64");
    return `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;
  });
  return {
    "webhook-id": id,
    "webhook-timestamp": String(seconds),
    "webhook-signature": signatures.join(" "),
  };
}
