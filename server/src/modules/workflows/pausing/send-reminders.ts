import { inTrace } from "../../../domain/trace.ts";
import type { ClaimKeys } from "../../../ports/chain/claim-keys.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Vault } from "../../../ports/vault.ts";
import { buildApprovalLink } from "../../approvals/index.ts";
import { RUN_WAITING } from "../../channels/index.ts";
import { buildTripGuestLink, composeGuestMail } from "../../invitations/index.ts";
import { composeMail, type Letter, type MessageKind, words } from "../../outbox/index.ts";
import type { Stores } from "../context.ts";
import type { RemindedPause } from "./reminders.ts";

const KIND = "pause_reminder";
const GIVEN_UP_AFTER = { hours: 24 };

/** Stores a message for everyone who can resolve a pause past half of its time. */
export async function remindOfPauses(stores: Stores, clock: Clock, limit: number): Promise<void> {
  // Usually there is none, which this check finds without a transaction.
  if (!(await stores.pauseReminders.isAnyDue())) return;
  const expiresAt = clock.now().add(GIVEN_UP_AFTER);
  await stores.transaction(async ({ pauseReminders, messages, notices }) => {
    for (const { sessionId, userIds, traceId, tenantId, environment } of await pauseReminders.takeDue(limit)) {
      const pause = await pauseReminders.find({ tenantId, environment }, sessionId);
      for (const userId of userIds) {
        // People who have said where and when they want notices are reminded there and then.
        const isNoticed =
          userId !== undefined &&
          pause !== undefined &&
          (await notices.add({
            ...{ tenantId, environment, userId, about: sessionId },
            ...{ kind: RUN_WAITING, data: describePause(pause, sessionId) },
          }));
        if (isNoticed) continue;
        const reason = { tenantId, environment, userId, kind: KIND, about: [sessionId] };
        const message = { ...reason, recordId: sessionId, carrier: "mail", expiresAt } as const;
        await inTrace(traceId, () => messages.insert(message));
      }
    }
  });
}

const describePause = ({ runId, workflowId, event, about, expiresAt }: RemindedPause, sessionId: string) => ({
  runId,
  workflowId,
  waitsUntil: expiresAt.toString(),
  ...(event === "approval_decided" && about !== undefined ? { approvalId: about } : {}),
  // A mail has more to say, and is composed when it is sent.
  mail: { kind: KIND, recordId: sessionId },
});

interface ReminderPorts {
  stores: Stores;
  claimKeys: ClaimKeys;
  vault: Vault;
  appUrl: string;
}

export function reminderKind(ports: ReminderPorts): MessageKind {
  return {
    name: KIND,
    kinds: [KIND],
    async compose(message) {
      const { recordId } = message;
      const pause = recordId === undefined ? undefined : await ports.stores.pauseReminders.find(message, recordId);
      return pause === undefined ? undefined : await composeReminder(ports, message, pause);
    },
    key: ({ id }) => id.replace("msg_", "pause-reminder.rem-"),
  };
}

async function composeReminder(
  { stores, claimKeys, vault, appUrl }: ReminderPorts,
  { tenantId, environment, userId }: Parameters<MessageKind["compose"]>[0],
  pause: RemindedPause,
): Promise<Letter | undefined> {
  if (userId === undefined) {
    const trip = pause.tripId === undefined ? undefined : await stores.trips.find(tenantId, environment, pause.tripId);
    if (trip?.guestEmail === undefined) return undefined;
    const letter = composeGuestMail(trip, trip.guestEmail, buildTripGuestLink(claimKeys, trip));
    return { ...letter, subject: `Reminder: ${letter.subject}` };
  }
  const person = await stores.persons.find({ tenantId, environment }, userId);
  if (person === undefined) return undefined;
  const { event, about } = pause;
  const link =
    event === "approval_decided" && about !== undefined
      ? buildApprovalLink(vault, new URL(appUrl).origin, { approvalId: about, personId: userId })
      : undefined;
  return composeMail({
    to: { address: person.email, name: person.name },
    subject: `Reminder: a ${pause.workflowId} run is waiting`,
    language: "en",
    parts: sayPause(pause, link, appUrl).map(words),
  });
}

function sayPause(
  { runId, workflowId, reason, onTimeout, expiresAt }: RemindedPause,
  link: string | undefined,
  appUrl: string,
): string[] {
  const until = expiresAt.toLocaleString("en-GB", { timeZone: "UTC", dateStyle: "long", timeStyle: "short" });
  return [
    `The run ${runId} of ${workflowId} is waiting: ${reason}`,
    `It waits until ${until} UTC. If nobody answers by then, it continues with ${JSON.stringify(onTimeout)}.`,
    link === undefined
      ? `To see what it expects, request ${appUrl}/api/workflows/runs/${runId} with your key.`
      : `Review and decide: ${link}`,
  ];
}
