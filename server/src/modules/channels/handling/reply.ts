import { wordsIn } from "../../../domain/texts.ts";
import { NotYet } from "../../../platform/inbox/work-on-inbox.ts";
import { type StoredEvent, TurnEvent } from "../../conversations/index.ts";
import { makeButton } from "../buttons.ts";
import type { ChannelPerson, Content } from "../channels.ts";
import { sayInChannel } from "../texts.ts";
import type { HandlingParts } from "./handling.ts";

/** Without a reader the reply waits in the conversation. */
const REPLY_LIFETIME = { hours: 12 };
const THREAD = "conversation:";
/** A turn can end before its conversation is stored as the person's. */
const MOST_WAITS = 8;
const MOST_CHOICES = 5;

/** An ended turn is answered where its message came from, with its open question as buttons. */
export async function replyInChannel(
  parts: HandlingParts,
  turnId: string,
  thread: string,
  attempts: number,
): Promise<string> {
  const { stores, clock } = parts;
  const conversationId = thread.slice(THREAD.length);
  const origin = await stores.emailThreads.findOrigin(turnId);
  const person =
    origin === undefined
      ? await stores.channelPeople.findByConversation(conversationId)
      : await stores.channelPeople.find(origin.channelId, origin.address);
  if (person === undefined) {
    if (attempts < MOST_WAITS) throw new NotYet("the conversation belongs to nobody in a channel yet");
    return "nobody's";
  }
  const { channelId, tenantId, environment, address, externalId } = person;
  const composed = await composeReply(parts, person, conversationId, turnId);
  if (composed === undefined) return "no reply";
  await stores.channelMessages.insert({
    ...{ channelId, tenantId, environment, address: address ?? externalId },
    kind: "reply",
    about: turnId,
    conversationId,
    content: composed,
    giveUpAt: clock.now().add(REPLY_LIFETIME),
  });
  return "replied";
}

/** Undefined: there is nothing to say (any more). */
async function composeReply(
  { conversations, random }: HandlingParts,
  { tenantId, environment, userId }: ChannelPerson,
  conversationId: string,
  turnId: string,
): Promise<Content | undefined> {
  if (userId === undefined) return undefined;
  const owner = { tenantId, environment, ownerId: userId };
  const turn = await conversations.readTurn(owner, conversationId, turnId);
  if (turn?.state !== "ended" || (turn.reply ?? "") === "") return undefined;
  const events: StoredEvent[] = [];
  const signal = AbortSignal.timeout(10_000);
  for await (const event of conversations.follow(owner, conversationId, { after: turn.after, turnId, signal }))
    events.push(event);
  const said = events.map(({ line }) => TurnEvent.parse(JSON.parse(line)));
  const started = said.find(({ type }) => type === "turn_started");
  const locale = started?.type === "turn_started" ? started.locale : "en";
  const answer = (label: string, says: string, looks?: "primary") =>
    makeButton(random, { label, ...(looks === undefined ? {} : { looks }), meaning: { means: "say", said: says } });
  const asked = said.findLast(({ type }) => type === "confirmation_requested" || type === "question");
  const words = sayInChannel(wordsIn(locale));
  if (asked?.type === "confirmation_requested" && turn.status === "awaits_confirmation") {
    return { text: turn.reply ?? "", buttons: [answer(words("yes"), "yes", "primary"), answer(words("no"), "no")] };
  }
  const choices = asked?.type === "question" && turn.status === "asked" ? (asked.choices ?? []) : [];
  return { text: turn.reply ?? "", buttons: choices.slice(0, MOST_CHOICES).map((choice) => answer(choice, choice)) };
}
