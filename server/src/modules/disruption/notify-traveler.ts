import type { z } from "zod";
import { type CallPlan, EMPTY_PLAN, final } from "../../kernel/contracts/call-plan.ts";
import type { Caller } from "../../kernel/contracts/tool.ts";
import { mayBeSent, sendMessage } from "../outbox/index.ts";
import type { Ports } from "./context.ts";
import type { composeMessages } from "./replan-messages.ts";
import type { MessageAnswer } from "./replan-parts.ts";

type Draft = ReturnType<typeof composeMessages>[number];
type Message = z.input<typeof MessageAnswer>;

/** After this a message about a disruption is useless. */
const OF_USE = { hours: 12 };

/** Identifies a disruption: a traveler is written to once about the same one. */
type Disruption = readonly (string | undefined)[];

/** Sends the drafts that can be sent, and explains the rest. */
export async function notifyTraveler(
  drafts: readonly Draft[],
  disruption: Disruption,
  caller: Caller,
  ports: Pick<Ports, "stores" | "clock" | "delivery">,
): Promise<Message[]> {
  return await Promise.all(
    drafts.map(async ({ mail, ...draft }) => ({
      ...draft,
      ...(await send({ ...draft, mail }, disruption, caller, ports)),
    })),
  );
}

const KIND = "disruption";

/** A mail cannot be recalled. None is planned if mail is off, there is no recipient, or the traveler was already written to. */
export async function planNotice(
  channels: readonly Draft["channel"][],
  about: Disruption,
  { tenantId, travelerId: userId, environment }: Caller,
  { travelers, ...ports }: Pick<Ports, "delivery" | "travelers" | "stores">,
): Promise<CallPlan> {
  if (!ports.delivery.carriers.has("mail") || !channels.includes("email")) return EMPTY_PLAN;
  const profile = await travelers.get(tenantId, userId, environment);
  if (profile?.email === undefined) return EMPTY_PLAN;
  if (!(await mayBeSent(ports, { tenantId, environment, userId, kind: KIND, about }))) return EMPTY_PLAN;
  return { movements: [], irreversible: [final("the email to the traveler of the profile")] };
}

const notSent = (reason: string) => ({ sent: false, sentAt: null, reason });

async function send(
  { channel, mail }: Pick<Draft, "channel" | "mail">,
  about: Disruption,
  { tenantId, travelerId: userId, environment }: Caller,
  ports: Pick<Ports, "stores" | "clock" | "delivery">,
): Promise<Pick<Message, "sent" | "sentAt" | "reason">> {
  if (channel === "slack")
    return notSent("Slack is off: this service has no connection to it. Pass the text on yourself.");
  if (channel === "whatsapp")
    return notSent("WhatsApp is off: this service has no connection to it. Pass the text on yourself.");
  if (!ports.delivery.carriers.has("mail")) {
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
