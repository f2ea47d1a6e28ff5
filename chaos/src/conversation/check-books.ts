import type { Finding } from "../area.ts";
import { findRepeated } from "../calls/check-usage.ts";
import type { ConversationBooks } from "./books.ts";
import { type Played, SPENDS } from "./storm.ts";

export interface Facts {
  readonly books: ConversationBooks;
  readonly played: readonly Played[];
  /** Paid orders of the supplier. */
  readonly orders: readonly { readonly offer_id: string }[];
  /** By address in lower case: how often it was paid, as the chain has it. */
  readonly paid: ReadonlyMap<string, number>;
}

/** At any moment: one turn at a time, and every event has its number. */
export function checkTurns({ events }: ConversationBooks): Finding {
  const problems: string[] = [];
  for (const [conversation, all] of Map.groupBy(events, ({ conversation_id }) => conversation_id)) {
    let open: string | undefined;
    for (const [index, { sequence, turn_id, type }] of all.entries()) {
      if (sequence !== index + 1) problems.push(`event ${index + 1} of ${conversation} is numbered ${sequence}`);
      if (type === "turn_started" && open !== undefined) problems.push(`${turn_id} began while ${open} ran`);
      if (type !== "turn_started" && open !== turn_id)
        problems.push(`${turn_id} has an event while ${open ?? "none"} ran`);
      open = type === "turn_ended" ? undefined : turn_id;
    }
  }
  return {
    invariant: "the turns of a conversation follow each other, and their events are numbered without a gap",
    checked: events.length,
    problems,
  };
}

/** At any moment: an offer belongs to one search of one conversation. */
export function checkSpentOnce({ books, played, orders, paid }: Facts): Finding {
  const conversations = new Map(books.calls.map(({ offer_id, conversation_id }) => [offer_id, conversation_id]));
  const payees = played.flatMap(({ dialogue: { payee } }) => payee ?? []);
  return {
    invariant: "a conversation has at most one paid order, and each address is paid at most once",
    checked: orders.length + payees.length,
    problems: [
      ...findRepeated(orders, ({ offer_id }) => `a paid order of ${conversations.get(offer_id) ?? "no conversation"}`),
      ...payees.flatMap((payee) => ((paid.get(payee) ?? 0) > 1 ? [`${payee} was paid ${paid.get(payee)} times`] : [])),
    ],
  };
}

/** Once everything is settled. */
export function checkMetered({ calls, metered }: ConversationBooks): Finding {
  const byMeter = new Map(calls.map((call) => [call.meter_id, call]));
  const records = new Set(metered.map(({ id }) => id));
  const charged = calls.filter(({ meter_id }) => meter_id !== null);
  return {
    invariant: "every call of a conversation that was charged has one usage record, and every record its call",
    checked: metered.length,
    problems: [
      ...findRepeated(charged, ({ meter_id }) => `a call with ${meter_id}`),
      ...charged.filter(({ meter_id }) => !records.has(meter_id ?? "")).map(({ id }) => `${id} has no usage record`),
      ...metered.flatMap(({ id, tool }) => (byMeter.has(id) ? [] : [`${id} of ${tool} belongs to no call of a turn`])),
    ],
  };
}

/** How often it may be done. What is said beside a yes may come before it, and then takes the question back. */
function listEnds({ answers }: Played["dialogue"]): readonly number[] {
  if (answers.includes("no")) return [0];
  return answers.every((answer) => /^yes/i.test(answer)) ? [1] : [0, 1];
}

/** Once everything is settled: each has ended, and everybody has what they were told, once, and nobody anything else. */
export function checkEnded({ books, played, orders, paid }: Facts): Finding {
  const booked = Map.groupBy(orders, ({ offer_id }) => offer_id);
  const problems = played.flatMap((one) => {
    const { dialogue, conversationId, isOver, failure, turns } = one;
    const name = `dialogue ${dialogue.number} (${conversationId})`;
    if (failure !== undefined) return [`${name} could not go on: ${failure}`];
    if (!isOver) return [`${name} has not ended`];
    const calls = books.calls.filter((call) => call.conversation_id === conversationId);
    // An offer that is shown again has two calls, and one order.
    const offers = new Set(calls.map(({ offer_id }) => offer_id));
    const ordered = [...offers].reduce((sum, offer) => sum + (booked.get(offer ?? "")?.length ?? 0), 0);
    const times = dialogue.payee === undefined ? ordered : (paid.get(dialogue.payee) ?? 0);
    const wanted = listEnds(dialogue);
    const charges = calls.filter(({ tool, meter_id }) => SPENDS.has(tool) && meter_id !== null).length;
    if (wanted.includes(times) && charges === times) return [];
    const ends = turns.map(({ status }) => status).join(", ");
    return [
      `${name} wanted ${wanted.join(" or ")} ${dialogue.wants}, has ${times}, and was charged ${charges} times (${ends})`,
    ];
  });
  return { invariant: "every dialogue ended with what its traveler wanted, once", checked: played.length, problems };
}

/** Once everything is settled. */
export function checkStreams(
  received: ReadonlyMap<string, ReadonlyMap<number, string>>,
  readAgain: ReadonlyMap<string, readonly string[]>,
  stored: readonly { conversation_id: string; sequence: number; line: string }[],
): Finding {
  const lines = Map.groupBy(stored, ({ conversation_id }) => conversation_id);
  const problems = [...readAgain].flatMap(([conversation, again]) => {
    const own = lines.get(conversation)?.map(({ line }) => line) ?? [];
    const differs = again.findIndex((line, index) => line !== own[index]);
    if (differs >= 0 || again.length !== own.length) return [`${conversation} reads otherwise at ${differs + 1}`];
    return [...(received.get(conversation) ?? [])].flatMap(([sequence, line]) =>
      again[sequence - 1] === line ? [] : [`event ${sequence} of ${conversation} was sent as ${line}`],
    );
  });
  return {
    invariant: "a stream that is read again from its beginning equals what was sent",
    checked: readAgain.size,
    problems,
  };
}
