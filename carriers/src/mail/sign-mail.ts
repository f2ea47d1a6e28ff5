import { createHash, createSign, generateKeyPairSync } from "node:crypto";

const SELECTOR = "sim";
const SIGNED = ["from", "to", "subject", "date", "message-id", "in-reply-to", "references"];

type Header = readonly [name: string, value: string];

let keys: ReturnType<typeof makeKeys> | undefined;

function makeKeys() {
  return generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "der" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
}

/** RFC 6376, relaxed/relaxed: what a sender's mail server adds. Lines of the body end as in a mail, and have no blanks at their ends. */
export function signMail(headers: readonly Header[], body: string, domain: string): string {
  keys ??= makeKeys();
  const signed = headers.filter(([name]) => SIGNED.includes(name.toLowerCase()));
  const bodyHash = createHash("sha256").update(body).digest("base64");
  const fields = `v=1; a=rsa-sha256; c=relaxed/relaxed; d=${domain}; s=${SELECTOR}; h=${signed.map(([name]) => name.toLowerCase()).join(":")}; bh=${bodyHash}; b=`;
  const relaxed = [...signed, ["DKIM-Signature", fields] as const].map(
    ([name, value]) => `${name.toLowerCase()}:${value.replaceAll(/\s+/g, " ").trim()}`,
  );
  const signature = createSign("sha256").update(relaxed.join("\r\n")).sign(keys.privateKey, "base64");
  const lines = [["DKIM-Signature", `${fields}${signature}`] as const, ...headers].map(
    ([name, value]) => `${name}: ${value}`,
  );
  return `${lines.join("\r\n")}\r\n\r\n${body}`;
}

/** The TXT records of a domain whose mailboxes are here. Null: there are none of this name. */
export function answerDns(name: string, type: string): string[][] | null {
  keys ??= makeKeys();
  if (type !== "TXT") return null;
  if (name.startsWith(`${SELECTOR}._domainkey.`)) return [[`v=DKIM1; k=rsa; p=${keys.publicKey.toString("base64")}`]];
  return name.startsWith("_dmarc.") ? [["v=DMARC1; p=reject"]] : null;
}
