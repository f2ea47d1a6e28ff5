import { generateKeyPairSync, randomUUID } from "node:crypto";
import { once } from "node:events";
import { dkimSign } from "mailauth";
import { createTransport } from "nodemailer";
import type Mail from "nodemailer/lib/mailer/index.js";
import type { ResolveDns } from "../../src/ports/mail-in.ts";

/** A domain's key, and what its DNS says. */
function makeDomain(domain: string, policy: string) {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "der" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  return {
    dkim: { domainName: domain, keySelector: "test", privateKey },
    records: new Map([
      [`test._domainkey.${domain}`, `v=DKIM1; k=rsa; p=${publicKey.toString("base64")}`],
      [`_dmarc.${domain}`, policy],
    ]),
  };
}

/** Senders' domains of a test, whose DNS is the test's own. `strict.example` says who is who; `none.example` has no policy. */
export function makeTestDomains() {
  const domains = {
    "people.example": makeDomain("people.example", "v=DMARC1; p=reject"),
    "evil.example": makeDomain("evil.example", "v=DMARC1; p=none"),
    "none.example": makeDomain("none.example", ""),
  };
  const records = new Map(Object.values(domains).flatMap((one) => [...one.records]));
  let isAway = false;
  const resolve: ResolveDns = async (name, type) => {
    if (isAway) throw Object.assign(new Error("away"), { code: "ETIMEOUT" });
    const found = type === "TXT" ? records.get(name.toLowerCase()) : undefined;
    if (found === undefined || found === "") throw Object.assign(new Error(name), { code: "ENOTFOUND" });
    return [[found]];
  };
  return {
    resolve,
    /** Everything that the DNS says, by name. */
    records,
    setAway(value: boolean) {
      isAway = value;
    },
    /** Signed by this domain, whatever the From header says. */
    sign: (domain: keyof typeof domains) => ({ dkim: domains[domain].dkim }),
    /** A mail with a signature of its beginning, which holds for whatever is added at the end (`l=`). */
    async signBeginning(domain: keyof typeof domains, raw: Buffer): Promise<Buffer> {
      const { domainName: signingDomain, keySelector: selector, privateKey } = domains[domain].dkim;
      const maxBodyLength = raw.length - raw.indexOf("\r\n\r\n") - 4;
      const signer = { signingDomain, selector, privateKey, maxBodyLength };
      const { signatures } = await dkimSign(raw, { ...signer, signatureData: [signer] });
      return Buffer.concat([Buffer.from(signatures), raw]);
    },
  };
}

/** The bytes of a mail, as its sender's server passes them on. */
export async function buildMail(mail: Mail.Options): Promise<Buffer> {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: "windows" });
  const { message } = await transport.sendMail(mail);
  if (!Buffer.isBuffer(message)) throw new Error("the mail was not built");
  return message;
}

/** An SMTP server's answers, line by line. */
export function readSmtpLines(socket: NodeJS.ReadableStream) {
  let text = "";
  socket.on("data", (piece: Buffer) => {
    text += piece.toString();
  });
  async function next(): Promise<string> {
    while (!text.includes("\r\n")) await once(socket, "data");
    const [line = "", ...rest] = text.split("\r\n");
    text = rest.join("\r\n");
    return line;
  }
  return {
    next,
    async final() {
      for (;;) if (/^\d{3} /.test(await next())) return;
    },
  };
}

/** Over SMTP, as a relay does it. Rejects if it is refused. */
export async function deliverMail(port: number, raw: Buffer, envelope: { from: string; to: string[] }): Promise<void> {
  const client = createTransport({ host: "127.0.0.1", port, ignoreTLS: true });
  try {
    await client.sendMail({ envelope, raw });
  } finally {
    client.close();
  }
}

/** A mail server's report (RFC 3464) to an address about the mail with this Message-ID. */
export function buildReport(id: string, to: string, { action = "failed", status = "5.1.1" } = {}): Buffer {
  const parts = [
    "Content-Type: text/plain\r\n\r\nSorry.",
    `Content-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; x\r\n\r\nFinal-Recipient: rfc822; somebody@people.example\r\nAction: ${action}\r\nStatus: ${status}`,
    `Content-Type: text/rfc822-headers\r\n\r\nMessage-ID: ${id}\r\n`,
  ];
  const head = [
    "From: postmaster@people.example",
    `To: ${to}`,
    `Subject: Undelivered ${randomUUID()}`,
    `Date: ${new Date().toUTCString()}`,
    `Message-ID: <${randomUUID()}@people.example>`,
    'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
  ];
  return Buffer.from([...head, "", ...parts.map((part) => `--b\r\n${part}`), "--b--\r\n"].join("\r\n"));
}
