import type { z } from "zod";
import { type CallPlan, final } from "../../kernel/contracts/call-plan.ts";
import type { Caller } from "../../kernel/contracts/tool.ts";
import { mayBeSent, sendMessage } from "../outbox/index.ts";
import type { Ports } from "./context.ts";
import type { Addressee } from "./find-addressees.ts";
import type { composeMessages } from "./replan-messages.ts";
import type { MessageAnswer } from "./replan-parts.ts";

type Draft = ReturnType<typeof composeMessages>[number] & Pick<Message, "traveler"> & { userId: string };
type Message = z.input<typeof MessageAnswer>;

/** After this a message about a disruption is useless. */
const OF_USE = { hours: 12 };

/** Identifies a disruption: a traveler is written to once about the same one. */
type Disruption = readonly (string | undefined)[];

export type NoticePorts = Pick<Ports, "stores" | "clock" | "delivery" | "channelNotices">;

/** Sends the drafts that can be sent, and explains the rest. */
export async function notifyTraveler(
  drafts: readonly Draft[],
  disruption: Disruption,
  caller: Caller,
  ports: NoticePorts,
): Promise<Message[]> {
  return await Promise.all(
    drafts.map(async ({ mail, plain, userId, ...draft }) => ({
      ...draft,
      ...(await send({ ...draft, mail, plain, userId }, disruption, caller, ports)),
    })),
  );
}

const KIND = "disruption";
const CHATS = ["slack", "whatsapp"] as const;
const CHAT_NAMES = { slack: "Slack", whatsapp: "WhatsApp" } as const;

/** A mail cannot be recalled. None is planned if mail is off, there is no recipient, or the traveler was already written to. */
export async function planNotice(
  channels: readonly Draft["channel"][],
  about: Disruption,
  readers: readonly Pick<Addressee, "userId" | "profile">[],
  { tenantId, environment }: Caller,
  { channelNotices, ...ports }: Pick<Ports, "delivery" | "stores" | "channelNotices">,
): Promise<CallPlan> {
  const chats = CHATS.filter((channel) => channels.includes(channel));
  const canMail = channels.includes("email") && (await ports.delivery.canMail({ tenantId, environment }));
  const told = await Promise.all(
    readers.map(async ({ userId, profile }) => {
      const reached = await Promise.all(
        chats.map((channel) => channelNotices.reaches({ tenantId, environment, userId, channel })),
      );
      const isMailed =
        canMail &&
        profile?.email !== undefined &&
        (await mayBeSent(ports, { tenantId, environment, userId, kind: KIND, about }));
      return [
        ...chats
          .filter((_, at) => reached[at])
          .map((channel) => final(`the message to the traveler on ${CHAT_NAMES[channel]}`)),
        ...(isMailed ? [final("the email to the traveler of the profile")] : []),
      ];
    }),
  );
  return { movements: [], irreversible: told.flat() };
}

export const notSent = (reason: string) => ({ sent: false, sentAt: null, reason });

async function send(
  { channel, mail, plain, userId }: Pick<Draft, "channel" | "mail" | "plain" | "userId">,
  about: Disruption,
  { tenantId, environment }: Caller,
  ports: NoticePorts,
): Promise<Pick<Message, "sent" | "sentAt" | "reason">> {
  if (channel !== "email") {
    const name = CHAT_NAMES[channel];
    const isTaken = await ports.channelNotices.send(
      { tenantId, environment, userId, channel },
      { about: [KIND, ...about], ...plain },
    );
    return isTaken
      ? notSent(`It is on its way to the traveler on ${name}, once per disruption. Do not send it another way.`)
      : notSent(`${name} is off: the traveler is not linked there. Pass the text on yourself.`);
  }
  if (!(await ports.delivery.canMail({ tenantId, environment }))) {
    return notSent("Email is off: the operator has no mail server. Pass the text on yourself.");
  }
  if (mail === undefined) return notSent("The traveler's profile has no email address: add one with save_traveler.");
  const expiresAt = ports.clock.now().add(OF_USE);
  const reason = { tenantId, environment, userId, kind: KIND, about };
  const { state, at, isNew } = await sendMessage(ports, { ...reason, carrier: "mail", letter: mail, expiresAt });
  const sentAt = at.toString();
  switch (state) {
    case "sent":
      return isNew
        ? { sent: true, sentAt, reason: "The mail server has accepted it." }
        : {
            sent: true,
            sentAt,
            reason: "An email about this disruption was already sent, so no second one is sent.",
          };
    case "kept":
      return notSent(
        "It was stored, not sent: so are sandbox emails where real travelers are served, and emails over the daily limit.",
      );
    case "failed":
      return notSent("The mail server rejects it: pass the text on yourself.");
    default:
      return notSent(
        "The mail server has not accepted it yet. It is retried automatically; do not send it another way.",
      );
  }
}
