const FORM = /^t=(\d+),v1=([0-9a-f]{64})$/;
const encoder = new TextEncoder();

/** How far the service's clock and yours may be apart. */
const DEFAULT_TOLERANCE_SECONDS = 300;

export interface SignedAnswer {
  /** The header `x-service-sig`, or the `signature` of a turn's last event. */
  readonly signature: string;
  readonly traceId: string;
  /** As received, before it is parsed. */
  readonly body: string | Uint8Array<ArrayBuffer>;
}

export interface VerificationOptions {
  /** Default: 300. `Infinity` accepts answers of any age, for example stored ones. */
  readonly toleranceSeconds?: number | undefined;
  /** Default: now, in milliseconds since 1970. */
  readonly now?: number | undefined;
}

/** Whether an answer was signed with this secret, for this trace, and lately. */
export async function isGenuine(
  { signature, traceId, body }: SignedAnswer,
  signingSecret: string,
  { toleranceSeconds = DEFAULT_TOLERANCE_SECONDS, now = Date.now() }: VerificationOptions = {},
): Promise<boolean> {
  const [, seconds, mac] = FORM.exec(signature) ?? [];
  if (seconds === undefined || mac === undefined) return false;
  if (Math.abs(now / 1000 - Number(seconds)) > toleranceSeconds) return false;
  const hash = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", encoder.encode(signingSecret), hash, false, ["verify"]);
  const start = encoder.encode(`${seconds}.${traceId}.`);
  const content = typeof body === "string" ? encoder.encode(body) : body;
  const signed = new Uint8Array(start.length + content.length);
  signed.set(start);
  signed.set(content, start.length);
  // In constant time, unlike a comparison of texts.
  return await crypto.subtle.verify("HMAC", key, fromHex(mac), signed);
}

function fromHex(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length / 2);
  for (let index = 0; index < bytes.length; index += 1) {
    bytes[index] = Number.parseInt(text.slice(2 * index, 2 * index + 2), 16);
  }
  return bytes;
}
