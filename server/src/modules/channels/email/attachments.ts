import { z } from "zod";
import { Failure } from "../../../domain/errors.ts";
import { currentTraceId } from "../../../domain/trace.ts";
import type { CommonParts } from "../../../kernel/contracts/parts.ts";
import type { MailAttachment } from "../../../ports/mail-in.ts";
import type { ChannelPerson } from "../channels.ts";

const TOOL = "scan_document";
const MOST_DOCUMENTS = 3;
/** As `scan_document` takes them. */
const LARGEST_BYTES = 10 * 1_048_576;
const SMALLEST_BYTES = 1_024;
const TYPES = /^(?:application\/pdf|image\/(?:png|jpeg|webp|tiff|heic|heif))$/;

const Amount = z.object({ value: z.string().regex(/^\d{1,12}(?:\.\d{1,6})?$/) });
const Day = z.object({ value: z.string().regex(/^\d{4}-\d{2}-\d{2}$/) });
const Currency = z.object({ value: z.string().regex(/^[A-Z]{3}$/) });
/** The fields that can hold nothing but what they say. A document's words do not become words of the person who sent it. */
const SHOWN = {
  totalAmount: Amount,
  taxAmount: Amount,
  currency: Currency,
  issuedOn: Day,
  expiresOn: Day,
} as const;
const Scanned = z.looseObject({
  scanId: z
    .string()
    .regex(/^[a-z]+_[0-9A-Z]{26}$/)
    .optional(),
  needsReview: z.boolean().optional(),
  fields: z.record(z.string(), z.unknown()).default({}),
});

type ScanParts = Pick<CommonParts, "kernel" | "identity" | "random">;

/** A line for each document that a mail brings, as the agent reads it. Documents go to the same tool as anybody's. */
export async function describeAttachments(
  parts: ScanParts,
  person: ChannelPerson,
  attachments: readonly MailAttachment[],
  text: string,
): Promise<readonly string[]> {
  const documents = attachments.filter(
    ({ contentType, bytes, isInline }) => TYPES.test(contentType) && !isInline && bytes.length >= SMALLEST_BYTES,
  );
  const lines: string[] = [];
  for (const [index, document] of documents.slice(0, MOST_DOCUMENTS).entries()) {
    lines.push(`[Attachment ${index + 1}: ${await describe(parts, person, document, chooseKind(text))}]`);
  }
  const left = attachments.filter(({ isInline }) => !isInline).length - lines.length;
  return left > 0 ? [...lines, `[${left} further attachments were not read.]`] : lines;
}

/** The tool must be told what it reads. */
function chooseKind(text: string): string {
  if (
    /\b(?:passport|identity card|id card|visa|reisepass|ausweis|passeport|pasaporte|passaporte)\b|パスポート/i.test(
      text,
    )
  )
    return "id_document";
  if (/boarding|bordkarte|carte d.embarquement|tarjeta de embarque|cartão de embarque|搭乗券/i.test(text))
    return "boarding_pass";
  return /\b(?:invoice|rechnung|facture|factura|fatura)\b|請求書/i.test(text) ? "invoice" : "receipt";
}

async function describe(
  { kernel, identity, random }: ScanParts,
  { userId, keyId = "" }: ChannelPerson,
  { bytes, contentType }: MailAttachment,
  kind: string,
): Promise<string> {
  if (bytes.length > LARGEST_BYTES) return "not read, because it is over 10 MB";
  const confirmPrincipal = async () => await identity.findPrincipal(keyId, { fresh: true });
  const principal = await confirmPrincipal();
  if (principal === undefined) return "not read";
  try {
    const { outcome } = await kernel.invoke({
      toolName: TOOL,
      args: { kind, data: Buffer.from(bytes).toString("base64"), mediaType: contentType },
      principal,
      confirmPrincipal,
      userId: principal.personId === userId ? undefined : userId,
      surface: "conversation",
      traceId: currentTraceId() ?? random(16).toHex(),
      idempotencyKey: undefined,
      gone: { signal: new AbortController().signal },
      isPatient: true,
    });
    return outcome.ok ? say(kind, outcome.result) : `not read as ${kind}: ${outcome.code}`;
  } catch (error) {
    if (error instanceof Failure) return `not read as ${kind}: ${error.code}`;
    throw error;
  }
}

function say(kind: string, result: unknown): string {
  const { scanId, needsReview, fields } = Scanned.parse(result);
  const shown = Object.entries(SHOWN).flatMap(([name, schema]) => {
    const field = schema.safeParse(fields[name]).data;
    return field === undefined ? [] : [`${name} ${field.value}`];
  });
  return [
    `read as ${kind}`,
    ...(scanId === undefined ? [] : [`scanId ${scanId}`]),
    ...shown,
    ...(needsReview === true ? ["a person should look at it"] : []),
  ].join(", ");
}
