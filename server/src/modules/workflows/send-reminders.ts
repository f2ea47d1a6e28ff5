import { Failure } from "../../domain/errors.ts";
import { escapeHtml } from "../../domain/escape-html.ts";
import type { EffectUse } from "../../kernel/effect-use.ts";
import type { ClaimKeys } from "../../ports/claim-keys.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Mail, Mailer } from "../../ports/mailer.ts";
import type { Vault } from "../../ports/vault.ts";
import { approvalLinkOf } from "../approvals/index.ts";
import { defineEffectUse, type EffectDefinition, failed, type Move, send, unknown } from "../effects/index.ts";
import { composeGuestMail, guestLinkOf } from "../escrow/index.ts";
import type { Mailing } from "../outbox/index.ts";
import type { Aggregates, Stores } from "./context.ts";
import type { PauseReminder, RemindedPause } from "./reminders.ts";

interface ReminderPorts {
  stores: Stores;
  claimKeys: ClaimKeys;
  vault: Vault;
  mailer: Mailer;
  clock: Clock;
  mailing: Mailing;
  appUrl: string;
}

type Reminding = Move<PauseReminder, Aggregates>;

const RETRY_MILLISECONDS = 60_000;
const GIVEN_UP_AFTER = { hours: 24 };

/** A mail server cannot be asked what it has taken: a mail that comes again under the same `Message-ID` is the same mail. */
export function reminderUse(ports: ReminderPorts): EffectUse {
  const { stores, clock } = ports;
  const definition: EffectDefinition<PauseReminder, Aggregates> = {
    done: "sent",
    store: ({ pauseReminders }) => pauseReminders,
    quietMilliseconds: () => RETRY_MILLISECONDS,
    recovery: { kind: "send_again", sendAgain: (reminder) => sendOne(ports, reminder) },
    neverSent: () => new Failure("mail_not_sent"),
    giveBack: async () => undefined,
    unstoredEnd: "unknown",
  };
  const store = ({ pauseReminders }: Aggregates) => pauseReminders;
  return defineEffectUse<PauseReminder, Aggregates>({
    ...{ name: "pause_reminder", stores, clock, store },
    definitionFor: () => definition,
  });
}

async function sendOne(ports: ReminderPorts, reminder: PauseReminder): Promise<Reminding> {
  const { stores, clock, mailer, mailing } = ports;
  const { environment, tenantId } = reminder;
  const pause = await stores.pauseReminders.pauseOf(reminder);
  const mail = pause === undefined ? undefined : await compose(ports, reminder, pause);
  if (mail === undefined) return refuse("there is nothing to do any more, or nobody to write to");
  const { kept, ...most } = mailing;
  const counted = { environment, tenantId, recipient: mail.to.address, ...most };
  if (environment === kept || !(await stores.mailCounts.count(counted))) return refuse("it is kept");
  return send<PauseReminder, Aggregates, void>({
    to: "pending",
    request: () => mailer.send(mail),
    answered: () => ({ kind: "done", end: async () => ({ result: undefined, apply: async () => undefined }) }),
    refused: ({ createdAt }, failure) => {
      const isLast = Temporal.Instant.compare(createdAt.add(GIVEN_UP_AFTER), clock.now()) <= 0;
      return isLast || failure.code === "mail_refused" ? failed(failure) : unknown(failure);
    },
  });
}

const refuse = (why: string): Reminding => failed(new Failure("mail_refused", { cause: new Error(why) }));

async function compose(
  { stores, claimKeys, vault, appUrl }: ReminderPorts,
  { id, tenantId, environment, userId }: PauseReminder,
  pause: RemindedPause,
): Promise<Mail | undefined> {
  const messageId = `pause-reminder.${id.replace("_", "-")}`;
  if (userId === undefined) {
    const trip = pause.tripId === undefined ? undefined : await stores.trips.find(tenantId, environment, pause.tripId);
    if (trip?.guestEmail === undefined) return undefined;
    const mail = composeGuestMail(trip, trip.guestEmail, guestLinkOf(claimKeys, trip));
    return { ...mail, subject: `Reminder: ${mail.subject}`, messageId };
  }
  const person = await stores.persons.find({ tenantId, environment }, userId);
  if (person === undefined) return undefined;
  const { event, about } = pause;
  const link =
    event === "approval_decided" && about !== undefined
      ? approvalLinkOf(vault, new URL(appUrl).origin, { approvalId: about, personId: userId })
      : undefined;
  return { to: { address: person.email, name: person.name }, messageId, ...sayPause(pause, link, appUrl) };
}

function sayPause(pause: RemindedPause, link: string | undefined, appUrl: string): Omit<Mail, "to" | "messageId"> {
  const { runId, workflowId, reason, onTimeout, expiresAt } = pause;
  const until = expiresAt.toLocaleString("en-GB", { timeZone: "UTC", dateStyle: "long", timeStyle: "short" });
  const subject = `Reminder: a run of ${workflowId} waits`;
  const parts = [
    `The run ${runId} of ${workflowId} waits: ${reason}`,
    `It waits until ${until} UTC. If nobody answers by then it goes on with ${JSON.stringify(onTimeout)}.`,
    link === undefined
      ? `What it expects: ${appUrl}/api/workflows/runs/${runId}, with your key.`
      : `Look at it and decide: ${link}`,
  ];
  const html = parts.map((part) => `<p>${escapeHtml(part)}</p>`).join("\n");
  return { subject, text: `${parts.join("\n\n")}\n`, html };
}
