import { z } from "zod";
import { Failure } from "../../../domain/errors.ts";
import { currentTraceId } from "../../../domain/trace.ts";
import { toVisibleText } from "../../../domain/visible-text.ts";
import { type ChatEvent, ChatFailure } from "../../../ports/chat.ts";
import type { Principal } from "../../../ports/identity.ts";
import { makeButton } from "../buttons.ts";
import type { ChannelPerson, OpenChannel, PressedButton } from "../channels.ts";
import { findAccess, findSystem } from "../installation.ts";
import { TEXTS } from "../texts.ts";
import { type Handled, type HandlingParts, notice } from "./handling.ts";
import { sayInName } from "./say-in-name.ts";

type MessageEvent = Extract<ChatEvent, { type: "message" }>;
type PressEvent = Extract<ChatEvent, { type: "press" }>;

const TOOL = "scan_document";
const LARGEST_BYTES = 10 * 1024 * 1024;
/** Reading takes seconds; more means that nobody gets to it. */
const PATIENCE_MILLISECONDS = 90_000;
const CONSENT_LIFETIME = { hours: 24 };
const MOST_FIELDS = 12;
const LONGEST_VALUE = 100;

const CHOICES = [
  { kind: "receipt", label: "Receipt or invoice" },
  { kind: "boarding_pass", label: "Boarding pass" },
  { kind: "id_document", label: "Passport or ID card" },
  { kind: "none", label: "Do not read it" },
] as const;
type Kind = (typeof CHOICES)[number]["kind"];

const Wanted = z.object({ kind: z.enum(["receipt", "boarding_pass", "id_document", "none"]), mediaId: z.string() });
const Read = z.looseObject({
  fields: z.record(z.string(), z.looseObject({ value: z.string() })),
  needsReview: z.boolean(),
  scanId: z.string().optional(),
});

/** Nothing is fetched before the person agrees and says what it is. */
export async function askAboutDocument(
  { stores, random, clock, pageTranscriber }: HandlingParts,
  { id: channelId, tenantId, environment }: OpenChannel,
  { id, address, media }: MessageEvent & { media: NonNullable<MessageEvent["media"]> },
): Promise<Handled> {
  const buttons = CHOICES.map(({ kind, label }) =>
    makeButton(random, { label, meaning: { means: "scan", said: JSON.stringify({ kind, mediaId: media.id }) } }),
  );
  const text = pageTranscriber === undefined ? TEXTS.askDocument : TEXTS.askDocumentWithModel;
  await stores.channelMessages.insert({
    ...{ channelId, tenantId, environment, address, kind: "notice", about: id },
    content: { text, buttons },
    giveUpAt: clock.now().add(CONSENT_LIFETIME),
  });
  return "a document";
}

/** The person agreed: the document is fetched once, read, and kept nowhere. */
export async function readDocument(
  parts: HandlingParts,
  channel: OpenChannel,
  { event, button, person, said }: { event: PressEvent; button: PressedButton; person: ChannelPerson; said: string },
): Promise<Handled> {
  const { identity, stores } = parts;
  const { kind, mediaId } = Wanted.parse(JSON.parse(said));
  await stores.channelMessages.settle(button.id, event.value, {
    isShown: findSystem(parts, channel.kind).edit !== undefined,
  });
  if (kind === "none") {
    await notice(parts, channel, event, TEXTS.notRead);
    return "not read";
  }
  const principal = await identity.findPrincipal(person.keyId ?? "", { fresh: true });
  if (principal === undefined || principal.tenantId !== channel.tenantId) {
    await notice(parts, channel, event, TEXTS.linkEnded);
    return "the link has ended";
  }
  const read = await fetchAndRead(parts, channel, { principal, person, kind, mediaId });
  if (typeof read === "string") {
    await notice(parts, channel, event, read);
    return "not read";
  }
  await notice(parts, channel, event, describe(read));
  if (read.scanId === undefined) return "read";
  // The agent asks before it saves anything.
  const text = `I sent my passport or identity card, and agreed that it was read. Its scanId is ${read.scanId}. Save it in my profile.`;
  return await sayInName(parts, channel, person, { id: `scan:${button.about}`, address: event.address, text });
}

/** Otherwise says why not. */
async function fetchAndRead(
  parts: HandlingParts,
  channel: OpenChannel,
  { principal, person, kind, mediaId }: { principal: Principal; person: ChannelPerson; kind: Kind; mediaId: string },
): Promise<z.output<typeof Read> | string> {
  const { identity, kernel, random } = parts;
  try {
    const access = await findAccess(parts, channel);
    const media = await findSystem(parts, channel.kind).fetchMedia?.(access, mediaId, LARGEST_BYTES);
    if (media === undefined) return TEXTS.textOnly;
    const { outcome } = await kernel.invoke({
      toolName: TOOL,
      args: { kind, data: media.toString("base64") },
      principal,
      confirmPrincipal: async () => await identity.findPrincipal(principal.keyId, { fresh: true }),
      userId: principal.personId === person.userId ? undefined : person.userId,
      surface: "conversation",
      traceId: currentTraceId() ?? random(16).toHex(),
      idempotencyKey: undefined,
      gone: { signal: AbortSignal.timeout(PATIENCE_MILLISECONDS) },
      isPatient: true,
    });
    return outcome.ok ? Read.parse(outcome.result) : (outcome.detail ?? TEXTS.notFetched);
  } catch (error) {
    if (error instanceof Failure) return error.detail ?? TEXTS.notFetched;
    // A failed download counts against a limit of the chat system: it is not tried again by itself.
    if (error instanceof ChatFailure) return TEXTS.notFetched;
    throw error;
  }
}

function describe({ fields, needsReview }: z.output<typeof Read>): string {
  const lines = Object.entries(fields)
    .slice(0, MOST_FIELDS)
    .map(([name, { value }]) => `${sayName(name)}: ${toVisibleText(value, LONGEST_VALUE)}`);
  if (lines.length === 0) return TEXTS.nothingRead;
  return [TEXTS.readFields, ...lines, ...(needsReview ? [TEXTS.checkFields] : [])].join("\n");
}

/** As in `merchantName`. */
function sayName(name: string): string {
  const words = name.replaceAll(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
