import { authenticate } from "mailauth";
import type { MailEnvelope, MailProof, ResolveDns } from "../../ports/mail-in.ts";

/** Without these a signature says nothing about who wrote what when. */
const SIGNED_HEADERS = ["from", "date"] as const;

/**
 * A mail is proved by a signature (DKIM) of the domain in its From header, or of one that DMARC aligns with it, over the whole
 * body. SPF alone proves nothing here: everybody who may send through the same provider passes it.
 */
export async function authenticateMail(
  raw: Uint8Array,
  { from, ip, helo }: MailEnvelope,
  resolve: ResolveDns,
): Promise<MailProof> {
  const { dkim, spf, dmarc } = await authenticate(Buffer.from(raw), {
    sender: from,
    ...(ip === undefined ? {} : { ip }),
    ...(helo === undefined ? {} : { helo }),
    mta: "wayfare",
    resolver: resolve,
    minBitLength: 1024,
    rejectRsaSha1: true,
    disableArc: true,
    disableBimi: true,
  });
  const dkimResults = dkim.results.map(({ status }) => status.result);
  const dmarcResult = dmarc === false ? "none" : dmarc.status.result;
  const says = `spf=${spf === false ? "none" : spf.status.result} dkim=${dkimResults.join(",") || "none"} dmarc=${dmarcResult}`;
  const isWhole = dkim.results.some(
    ({ status, canonBodyLengthLimited, signingHeaders, signatureTimeValid }) =>
      status.result === "pass" &&
      Boolean(status.aligned) &&
      canonBodyLengthLimited !== true &&
      signatureTimeValid !== false &&
      SIGNED_HEADERS.every((name) => listSigned(signingHeaders?.keys).includes(name)),
  );
  if (dmarcResult === "pass" && isWhole && dkim.headerFrom.length === 1 && dkim.fromFields === 1) {
    return { state: "proved", says };
  }
  const isUnsure = dmarcResult === "temperror" || dkimResults.includes("temperror");
  return { state: isUnsure ? "again" : "not_proved", says };
}

const listSigned = (keys = ""): readonly string[] =>
  keys
    .toLowerCase()
    .split(":")
    .map((key) => key.trim());
