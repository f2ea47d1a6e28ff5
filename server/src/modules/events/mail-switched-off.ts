import { composeMail, words } from "../outbox/index.ts";
import type { Parts } from "./context.ts";
import type { LeasedDelivery } from "./events.ts";

const EXPIRES = { hours: 72 };

/** Writes to the persons who may switch the endpoint on again. Without a mail server it is shown only, by `read_account`. */
export async function mailSwitchedOff(
  { stores, clock, delivery, urls }: Pick<Parts, "stores" | "clock" | "delivery" | "urls">,
  { tenantId, environment, endpointId, url, eventId }: LeasedDelivery,
  because: string,
): Promise<void> {
  if (!(await delivery.canMail({ tenantId, environment }))) return;
  const admins = (await stores.persons.list({ tenantId, environment })).filter(
    ({ roles }) => roles.includes("admin") || roles.includes("owner"),
  );
  for (const { id, email, name } of admins) {
    const letter = composeMail({
      to: { address: email },
      subject: "Wayfare no longer sends events to your endpoint",
      language: "en",
      parts: [
        words(`Hello ${name}. The endpoint ${url} was switched off. ${because}`),
        words(
          "Events are still stored for 30 days. Once the endpoint works again, switch it on and replay the events that it missed.",
        ),
        { kind: "link", text: `${urls.app}/docs/events`, label: "How to switch it on and replay events" },
      ],
    });
    const reason = { tenantId, environment, userId: id, kind: "event_endpoint", about: [endpointId, eventId] };
    await stores.messages.insert({ ...reason, carrier: "mail", letter, expiresAt: clock.now().add(EXPIRES) });
  }
}
