import { Failure } from "../../../domain/errors.ts";
import type { ChatEvent } from "../../../ports/chat.ts";
import { decideApproval } from "../../approvals/index.ts";
import type { ChannelPerson, OpenChannel, PressedButton } from "../channels.ts";
import { TEXTS } from "../texts.ts";
import { sayInName } from "./handle-message.ts";
import { type HandlingParts, whisper } from "./handling.ts";

type PressEvent = Extract<ChatEvent, { type: "press" }>;

/** A pressed button counts for the person whom we know the presser to be, wherever the button was shown. */
export async function handlePress(parts: HandlingParts, channel: OpenChannel, event: PressEvent): Promise<string> {
  const button = await parts.stores.channelMessages.findButton(channel.environment, event.value);
  if (button === undefined || button.channelId !== channel.id) {
    await whisper(parts, channel, event, TEXTS.questionOver);
    return "no such button";
  }
  const person = await parts.stores.channelPeople.find(channel.id, event.from);
  return button.meaning.means === "say"
    ? await answer(parts, channel, { event, button, person, said: button.meaning.said })
    : await decide(parts, channel, { event, button, person, means: button.meaning.means });
}

interface Press {
  readonly event: PressEvent;
  readonly button: PressedButton;
  readonly person: ChannelPerson | undefined;
}

async function decide(
  parts: HandlingParts,
  channel: OpenChannel,
  { event, button, person, means }: Press & { means: "approve" | "reject" },
): Promise<string> {
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
    return means;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    await whisper(parts, channel, event, error.detail ?? error.code);
    return error.code;
  }
}

/** Answers in the sender's name, as long as nothing else was said since. */
async function answer(
  parts: HandlingParts,
  channel: OpenChannel,
  { event, button, person, said }: Press & { said: string },
): Promise<string> {
  const { stores, conversations } = parts;
  const isTheirs = person?.userId !== undefined && [person.address, person.externalId].includes(button.address);
  if (person?.userId === undefined || !isTheirs) {
    await whisper(parts, channel, event, TEXTS.notYours);
    return "not the person who was asked";
  }
  const owner = { tenantId: channel.tenantId, environment: channel.environment, ownerId: person.userId };
  const found =
    person.conversationId === undefined ? undefined : await conversations.read(owner, person.conversationId);
  if (found?.turns.at(-1)?.turnId !== button.about) {
    await whisper(parts, channel, event, TEXTS.questionOver);
    return "the question is over";
  }
  await stores.channelMessages.settle(button.id, event.value);
  // Two presses at once are one answer.
  return await sayInName(parts, channel, person, { id: `answer:${button.about}`, address: event.address, text: said });
}
