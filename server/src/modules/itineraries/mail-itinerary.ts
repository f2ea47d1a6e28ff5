import type { BoughtOrder } from "../orders/index.ts";
import { type MessageKind, mayBeSent, sendNow } from "../outbox/index.ts";
import type { Ports } from "./context.ts";
import { describeItinerary, hashItineraryText } from "./itinerary.ts";
import { ITINERARY_MAIL } from "./itinerary-mail.ts";

type MailPorts = Pick<Ports, "stores" | "clock" | "delivery" | "travelers" | "maps">;

/** After this nobody waits for it any more. */
const GIVEN_UP_AFTER = { hours: 24 };

interface MailedItinerary {
  userId: string;
  sent: boolean;
  reason: string;
}

/** A traveler gets one mail for each state of the order: another one only after it has changed. */
const reasonFor = (order: BoughtOrder, userId: string, { maps }: Pick<Ports, "maps">) => ({
  tenantId: order.tenantId,
  environment: order.environment,
  userId,
  kind: ITINERARY_MAIL,
  about: [order.orderId, hashItineraryText(describeItinerary(order, order.booking.travelers, maps))],
});

const listUsers = ({ booking: { travelers } }: BoughtOrder): readonly string[] => [
  ...new Set(travelers.flatMap(({ userId }) => userId ?? [])),
];

/** Whether any mail would leave. */
export async function wouldMail(order: BoughtOrder, ports: Omit<MailPorts, "clock">): Promise<boolean> {
  if (!(await ports.delivery.canMail(order))) return false;
  for (const userId of listUsers(order)) {
    const profile = await ports.travelers.get(order.tenantId, userId, order.environment);
    if (profile?.email !== undefined && (await mayBeSent(ports, reasonFor(order, userId, ports)))) return true;
  }
  return false;
}

/** Mails the itinerary to each traveler of the order with a profile, and explains what was not sent. */
export async function mailItinerary(
  order: BoughtOrder,
  ports: MailPorts,
  kind: MessageKind,
): Promise<MailedItinerary[]> {
  return await Promise.all(
    listUsers(order).map(async (userId) => ({ userId, ...(await mailTo(order, userId, ports, kind)) })),
  );
}

const notSent = (reason: string) => ({ sent: false, reason });

async function mailTo(
  order: BoughtOrder,
  userId: string,
  ports: MailPorts,
  kind: MessageKind,
): Promise<Omit<MailedItinerary, "userId">> {
  const { stores, clock, delivery, travelers } = ports;
  if (!(await delivery.canMail(order))) {
    return notSent("Email is off: the operator has no mail server. Pass the files on yourself.");
  }
  const profile = await travelers.get(order.tenantId, userId, order.environment);
  if (profile?.email === undefined) {
    return notSent("The traveler's profile has no email address: add one with save_traveler.");
  }
  const reason = reasonFor(order, userId, ports);
  const expiresAt = clock.now().add(GIVEN_UP_AFTER);
  const stored = await stores.messages.insert({ ...reason, recordId: order.orderId, carrier: "mail", expiresAt });
  if (stored === undefined) {
    const earlier = await stores.messages.findLive(reason);
    if (earlier?.state === "kept") return notSent(KEPT);
    return {
      sent: earlier?.state === "sent",
      reason: "This itinerary was already emailed, so no second email is sent.",
    };
  }
  switch (await sendNow({ stores, clock, delivery }, kind, stored)) {
    case "sent":
      return { sent: true, reason: "The mail server has accepted it." };
    case "kept":
      return notSent(KEPT);
    case "failed":
      return notSent("The mail server rejects it: pass the files on yourself.");
    default:
      return notSent("The mail server has not accepted it yet. It is retried automatically.");
  }
}

const KEPT =
  "It was stored, not sent: so are sandbox emails where real travelers are served, and emails over the daily limit. Pass the files on yourself.";
