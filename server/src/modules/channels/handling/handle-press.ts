import { Failure } from "../../../domain/errors.ts";
import type { ChatEvent } from "../../../ports/chat.ts";
import { decideApproval } from "../../approvals/index.ts";
import type { ChannelPerson, OpenChannel, PressedButton } from "../channels.ts";
import { findSystem } from "../installation.ts";
import { TEXTS } from "../texts.ts";
import { readDocument } from "./handle-document.ts";
import { type Handled, type HandlingParts, readTime, whisper } from "./handling.ts";
import { sayInName } from "./say-in-name.ts";

type PressEvent = Extract<ChatEvent, { type: "press" }>;

/** A pressed button counts for the person whom we know the presser to be, wherever the button was shown. */
export async function handlePress(parts: HandlingParts, channel: OpenChannel, event: PressEvent): Promise<Handled> {
  await noticeMessage(parts, channel, event);
  const button = await parts.stores.channelMessages.findButton(channel.environment, event.value);
  if (button === undefined || button.channelId !== channel.id) {
    await whisper(parts, channel, event, TEXTS.questionOver);
    return "no such button";
  }
  const person = await parts.stores.channelPeople.find(channel.id, event.from);
  const { meaning } = button;
  if (!("said" in meaning)) return await decide(parts, channel, { event, button, person, means: meaning.means });
  if (!isTheirs(button, person)) {
    await whisper(parts, channel, event, TEXTS.notYours);
    return "not the person who was asked";
  }
  const pressed = { event, button, person, said: meaning.said };
  return meaning.means === "say" ? await answer(parts, channel, pressed) : await readDocument(parts, channel, pressed);
}

/** A press is a message, too: for a while anything may be sent to this person. */
async function noticeMessage(parts: HandlingParts, channel: OpenChannel, event: PressEvent): Promise<void> {
  if (findSystem(parts, channel.kind).windowHours === undefined) return;
  const { from: externalId, address, phone } = event;
  await parts.stores.channelPeople.see(channel, { externalId, address, phone, at: readTime(parts, event) });
}

interface Press {
  readonly event: PressEvent;
  readonly button: PressedButton;
  readonly person: ChannelPerson | undefined;
}

type KnownPerson = ChannelPerson & { readonly userId: string };

function isTheirs({ address }: PressedButton, person: ChannelPerson | undefined): person is KnownPerson {
  return person?.userId !== undefined && [person.address, person.externalId].includes(address);
}

async function decide(
  parts: HandlingParts,
  channel: OpenChannel,
  { event, button, person, means }: Press & { means: "approve" | "reject" },
): Promise<Handled> {
  const { stores, identity } = parts;
  // The key that linked the person may have been revoked since.
  const principal = await identity.findPrincipal(person?.keyId ?? "", { fresh: true });
  const isApprover =
    person?.userId !== undefined && principal?.personId === person.userId && principal.tenantId === channel.tenantId;
  if (!isApprover || person?.userId === undefined) {
    await whisper(parts, channel, event, TEXTS.noApprover);
    return "not an approver";
  }
  const approval = await stores.approvals.find([channel], button.about);
  if (approval === undefined) {
    await whisper(parts, channel, event, TEXTS.questionOver);
    return "no such approval";
  }
  try {
    const decider = { kind: "person", personId: person.userId, with: "channel" } as const;
    await decideApproval(stores, approval, decider, {
      to: means === "approve" ? "approved" : "rejected",
      reason: undefined,
    });
    return { outcome: means, approvalId: approval.id };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    await whisper(parts, channel, event, error.detail ?? error.code);
    return { outcome: error.code, approvalId: approval.id };
  }
}

/** Answers in the sender's name, as long as nothing else was said since. */
async function answer(
  parts: HandlingParts,
  channel: OpenChannel,
  { event, button, person, said }: Press & { person: KnownPerson; said: string },
): Promise<Handled> {
  const { stores, conversations } = parts;
  const owner = { tenantId: channel.tenantId, environment: channel.environment, ownerId: person.userId };
  const found =
    person.conversationId === undefined ? undefined : await conversations.read(owner, person.conversationId);
  if (found?.turns.at(-1)?.turnId !== button.about) {
    await whisper(parts, channel, event, TEXTS.questionOver);
    return "the question is over";
  }
  const isShown = findSystem(parts, channel.kind).edit !== undefined;
  await stores.channelMessages.settle(button.id, event.value, { isShown });
  // Two presses at once are one answer.
  return await sayInName(parts, channel, person, { id: `answer:${button.about}`, address: event.address, text: said });
}
