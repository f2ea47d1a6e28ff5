import type { Finding } from "../area.ts";
import { findRepeated } from "../calls/check-usage.ts";
import type { ChannelBooks } from "./books.ts";
import { listEnds } from "./dialogues.ts";
import type { LineKind, Shown } from "./line.ts";
import type { Played } from "./talk.ts";

/** A tenant's side of the simulator. */
interface Side {
  readonly tenantId: string;
  readonly channelId: string;
  readonly kind: LineKind;
  /** All messages, in all places. */
  readonly messages: readonly Shown[];
  /** By text: how often the traveler has said it. */
  readonly said: ReadonlyMap<string, number>;
  /** Before this time, in milliseconds, the simulator knows nothing. */
  readonly forgottenUntil: number;
}

export interface Facts {
  readonly books: ChannelBooks;
  readonly sides: readonly Side[];
  readonly played: readonly Played[];
  /** Paid orders of the supplier. */
  readonly orders: readonly { readonly offer_id: string }[];
}

/** At any moment. */
export function checkHandledOnce({ books, sides }: Facts): Finding {
  const problems = sides.flatMap(({ tenantId, said }) => {
    const turns = new Map(
      books.turns.filter((one) => one.tenant_id === tenantId).map(({ text, count }) => [text, count]),
    );
    const answered = [...said].filter(([text]) => isPressed(text)).reduce((sum, [, times]) => sum + times, 0);
    const pressed = (turns.get("yes") ?? 0) + (turns.get("no") ?? 0);
    return [
      ...[...turns].flatMap(([text, count]) =>
        text === "yes" || text === "no" || count <= (said.get(text) ?? 0)
          ? []
          : [`${count} turns of ${tenantId} for "${text}", which was said ${said.get(text) ?? 0} times`],
      ),
      ...(pressed > answered ? [`${pressed} answers of ${tenantId} to ${answered} questions`] : []),
    ];
  });
  return {
    invariant: "every message in is one turn at most, and so is every question's answer by buttons",
    checked: books.turns.reduce((sum, { count }) => sum + count, 0),
    problems,
  };
}

/** Texts under which answers by buttons are counted. */
const isPressed = (text: string): boolean => /^(?:yes|no)(?: and (?:yes|no))?$/.test(text);

/**
 * Once everything is settled: a message that was sent twice has two ids there, and we know one of them. Where nobody can be asked
 * whether a message arrived, it may have gone once more, which our books have counted before.
 */
export function checkShownOnce({ books, sides }: Facts): Finding {
  let checked = 0;
  let counted = 0;
  const problems = sides.flatMap(({ channelId, kind, messages }) => {
    const sent = books.sent.filter((one) => one.channel_id === channelId);
    const known = new Set(sent.map(({ external_id }) => external_id));
    const shown = messages.filter(({ isOwn, onlyFor }) => !isOwn && onlyFor === null);
    checked += shown.length;
    const unknown = shown.filter(({ id }) => !known.has(id));
    const repeats = kind === "slack" ? 0 : sent.reduce((sum, one) => sum + one.repeats, 0);
    counted += repeats;
    const often = sent
      .filter((one) => one.repeats > 1)
      .map(({ about }) => `a message about ${about} was repeated often`);
    if (unknown.length <= repeats) return often;
    return [
      ...often,
      ...unknown.map(({ id, text }) => `${id} in ${channelId} is no message of ours: ${text.slice(0, 60)}`),
    ];
  });
  return {
    invariant: `what people see is one message of ours each, or a repetition that was counted (${counted})`,
    checked,
    problems,
  };
}

/** Once everything is settled. */
export function checkAllShown({ books, sides }: Facts): Finding {
  let checked = 0;
  const problems = sides.flatMap(({ channelId, kind, messages, forgottenUntil }) => {
    const there = new Set(messages.map(({ id }) => id));
    const own = books.sent.filter((one) => one.channel_id === channelId);
    checked += own.length;
    return own.flatMap((one) => {
      const name = `${one.kind} ${one.about} in ${channelId}`;
      // It may have arrived twice already, and is not sent a third time.
      if (kind !== "slack" && one.state === "failed" && one.is_unsure) return [];
      if (one.state === "waiting" || one.state === "failed") return [`${name} is ${one.state}`];
      const at = kind === "slack" ? Number(one.external_id) * 1_000 : one.created_milliseconds;
      return at <= forgottenUntil || there.has(one.external_id ?? "")
        ? []
        : [`${name} is ${one.state}, and nobody sees it`];
    });
  });
  return { invariant: "every message out was brought, and is there to be read", checked, problems };
}

/** At any moment. */
export function checkDecidedOnce({ books: { decisions } }: Facts): Finding {
  return {
    invariant: "every approval is decided once, however many press at the same moment",
    checked: decisions.length,
    problems: findRepeated(decisions, ({ approval_id }) => `a decision about ${approval_id}`),
  };
}

/** Once everything is settled: a decided approval has no buttons any more. */
export function checkCards({ books, sides }: Facts): Finding {
  const open = new Set(books.approvals.filter(({ state }) => state === "pending").map(({ id }) => id));
  let checked = 0;
  const problems = sides.flatMap(({ channelId, kind, messages }) => {
    // Elsewhere a message cannot be changed.
    if (kind !== "slack") return [];
    const cards = new Map(
      books.sent
        .filter((one) => one.channel_id === channelId && one.kind === "approval")
        .map((one) => [one.external_id, one.about]),
    );
    return messages.flatMap(({ id, buttons }) => {
      const approvalId = cards.get(id);
      if (approvalId === undefined) return [];
      checked += 1;
      return buttons.length === 0 || open.has(approvalId) ? [] : [`${approvalId} is decided, and its card still asks`];
    });
  });
  return { invariant: "every card of a decided approval shows how it was decided", checked, problems };
}

/** Once everything is settled. */
export function checkEnded({ books, played, orders }: Facts): Finding {
  const paid = Map.groupBy(orders, ({ offer_id }) => offer_id);
  const dialogues = played.filter(({ invitation }) => invitation === undefined);
  const problems = dialogues.flatMap(
    ({ dialogue, needsApproval, conversationId, isOver, isForgotten, failure, tenantId }) => {
      const name = `dialogue ${dialogue.number} of ${tenantId} (${conversationId})`;
      if (failure !== undefined) return [`${name} could not go on: ${failure}`];
      if (!isOver && !isForgotten) return [`${name} has not ended`];
      const calls = books.calls.filter((call) => call.conversation_id === conversationId);
      // A call that waited for an approval goes on as another one with the same offer.
      const offers = new Set(calls.map(({ offer_id }) => offer_id ?? ""));
      const times = [...offers].reduce((sum, offer) => sum + (paid.get(offer)?.length ?? 0), 0);
      const charges = calls.filter(({ meter_id }) => meter_id !== null).length;
      const wanted = isForgotten ? [0, 1] : listEnds(dialogue, needsApproval);
      return wanted.includes(times) && charges === times
        ? []
        : [`${name} wanted ${wanted.join(" or ")} bookings, has ${times}, and was charged ${charges} times`];
    },
  );
  return {
    invariant: "every dialogue ended with what its traveler and its approver wanted, once",
    checked: dialogues.length,
    problems,
  };
}

/** Once everything is settled. */
export function checkInvited({ books, played }: Facts): Finding {
  const runs = new Map(books.runs.map((run) => [run.id, run]));
  const problems = played.flatMap(({ dialogue, tenantId, invitation, isOver, isForgotten, failure }) => {
    if (invitation === undefined || isForgotten) return [];
    const name = `invitation ${dialogue.number} of ${tenantId}`;
    if (failure !== undefined) return [`${name} could not go on: ${failure}`];
    if (!isOver) return [`${name} has not ended`];
    if (invitation.isUndelivered) return [];
    const run = runs.get(invitation.runId ?? "");
    if (run?.state !== "completed") return [`the run of ${name} (${invitation.runId}) is ${run?.state ?? "not there"}`];
    return run.guest_wallet?.toLowerCase() === invitation.guestWallet
      ? []
      : [`the trip of ${name} has the guest ${run.guest_wallet}, and not ${invitation.guestWallet}`];
  });
  return {
    invariant: "every guest who got a link and its code has their trip, and its run has come to its end",
    checked: played.filter(({ invitation }) => invitation !== undefined).length,
    problems,
  };
}

/** At any moment. */
export function checkRunsBook({ books: { runs } }: Pick<Facts, "books">): Finding {
  const problems = runs.flatMap(({ id, state, bookings, guest_wallet }) => {
    if (bookings > 1 || (state === "completed" && bookings !== 1))
      return [`${id} is ${state}, and has booked ${bookings}`];
    return bookings === 1 && guest_wallet === null ? [`${id} has booked for a trip that nobody has accepted`] : [];
  });
  return { invariant: "a run books once, and only after the guest has accepted", checked: runs.length, problems };
}
