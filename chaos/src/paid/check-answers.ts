import { parseDecimal } from "../../../server/src/domain/money.ts";
import type { Hex } from "../../../server/src/domain/tokens.ts";
import type { Finding } from "../area.ts";
import type { Transfer } from "../chain/chain-view.ts";
import type { PaidBooks, UsedAuthorization } from "./books.ts";
import { authorizationKey, describe, type Purchase, paidAnswers } from "./purchase.ts";

/** Compares buyers' answers with the chain, the records and the tools' effects. All of it must hold at any moment, kills or not. */

export interface ChainSide {
  used: readonly UsedAuthorization[];
  transfers: readonly Transfer[];
  /** The address of the service. */
  payTo: Hex;
}

export function checkAnsweredIsCaptured(journal: readonly Purchase[], { used, transfers, payTo }: ChainSide): Finding {
  const hashByAuthorization = new Map(used.map((one) => [authorizationKey(one), one.hash]));
  const byHash = Map.groupBy(transfers, ({ hash }) => hash);
  let checked = 0;
  const problems: string[] = [];
  for (const purchase of journal) {
    const { payer, amount } = purchase.authorization;
    for (const answer of paidAnswers(purchase)) {
      checked += 1;
      const hash = hashByAuthorization.get(authorizationKey(purchase.authorization));
      const moved = byHash.get(answer.settlementTx) ?? [];
      if (hash !== answer.settlementTx) {
        problems.push(`${describe(purchase)} names ${answer.settlementTx}, the chain ${hash ?? "nothing"}`);
      } else if (!moved.some((one) => one.from === payer && one.to === payTo && one.amount === amount)) {
        problems.push(`${describe(purchase)}: ${hash} did not move its ${amount}`);
      }
      if (answer.payer !== payer || answer.amount !== amount) {
        problems.push(`${describe(purchase)} was answered as paid by ${answer.payer} with ${answer.amount}`);
      }
    }
  }
  return {
    invariant: "what was answered as paid is on the chain, in the transaction that was named",
    checked,
    problems,
  };
}

/** Without what an answer says as it is now: the block with the charge's transaction may come between two of them. */
function lasting(result: unknown): unknown {
  return typeof result === "object" && result !== null ? { ...result, chargeTxHash: undefined } : result;
}

/** Names of members of the results. */
function differingNames(results: readonly unknown[]): string[] {
  const [first, ...others] = results.map((result) => new Map(Object.entries(Object(result))));
  const names = new Set([...(first?.keys() ?? []), ...others.flatMap((other) => [...other.keys()])]);
  const isSame = (name: string, other: ReadonlyMap<string, unknown>) =>
    JSON.stringify(other.get(name)) === JSON.stringify(first?.get(name));
  return [...names].filter((name) => !others.every((other) => isSame(name, other)));
}

export function checkOneAnswer(journal: readonly Purchase[]): Finding {
  let checked = 0;
  const problems: string[] = [];
  for (const purchase of journal) {
    const answers = paidAnswers(purchase);
    const different = new Set(
      answers.map(({ result, settlementTx, meterId }) => JSON.stringify([lasting(result), settlementTx, meterId])),
    );
    checked += answers.length;
    if (different.size > 1) {
      const names = differingNames(answers.map(({ result }) => lasting(result))).join(", ");
      problems.push(`${describe(purchase)} has ${different.size} different answers (of the result: ${names})`);
    }
  }
  return { invariant: "one signature gets one answer, however often it is sent", checked, problems };
}

export function checkMetered(journal: readonly Purchase[], usage: PaidBooks["usage"]): Finding {
  const records = new Map(usage.map((record) => [record.id, record]));
  let checked = 0;
  const problems: string[] = [];
  for (const purchase of journal) {
    for (const { meterId } of paidAnswers(purchase)) {
      checked += 1;
      const record = meterId === undefined ? undefined : records.get(meterId);
      if (record === undefined) problems.push(`${meterId ?? "no record"} of ${describe(purchase)} is not there`);
      else if (record.price !== purchase.authorization.amount || record.tool !== purchase.tool) {
        problems.push(`${record.id} says ${record.tool} for ${record.price}, and not ${describe(purchase)}`);
      }
    }
  }
  return { invariant: "every answer that was paid has its usage record, at the price paid", checked, problems };
}

type Args = Purchase["args"];

const bothArgs = ({ args, otherArgs }: Purchase): readonly Args[] =>
  otherArgs === undefined ? [args] : [args, otherArgs];
const searchKey = (origin: unknown, destination: unknown, date: unknown, passengers: unknown): string =>
  `${origin}-${destination} ${date} ${passengers}`;

/** How often the tool of each purchase was really at work, by what it left behind. */
export function countRuns(
  journal: readonly Purchase[],
  facts: { transfers: readonly Transfer[]; bookings: PaidBooks["bookings"]; searches: PaidBooks["searches"] },
): Map<Purchase, number> {
  const sent = Map.groupBy(facts.transfers, ({ to, amount }) => `${to} ${amount}`);
  const booked = Map.groupBy(
    facts.bookings.filter(({ state }) => state === "booked"),
    (booking) => booking.offer_id,
  );
  const searched = Map.groupBy(facts.searches, ({ slices: [slice], passengers }) =>
    searchKey(slice?.origin, slice?.destination, slice?.departureDate, passengers.length),
  );
  const countMeantRuns = ({ tool }: Purchase, args: Args): number => {
    if (tool === "send_tokens") return sent.get(`${args.to} ${parseDecimal(String(args.amount))}`)?.length ?? 0;
    if (tool === "book_flight") return booked.get(String(args.offerId))?.length ?? 0;
    const { origin, destination, departureDate, passengers } = args;
    return searched.get(searchKey(origin, destination, departureDate, passengers))?.length ?? 0;
  };
  const visible = journal.filter(({ tool }) => tool !== "quote_fx");
  return new Map(
    visible.map((purchase) => [
      purchase,
      bothArgs(purchase).reduce((sum, args) => sum + countMeantRuns(purchase, args), 0),
    ]),
  );
}

/** Answers that say that the tool is at work, or was, rather than that it has to be run again. */
const STILL_THE_SAME_RUN: ReadonlySet<string> = new Set(["in_progress", "settlement_pending"]);

/**
 * Tools that write ran at most once. A search leaves no trace to look up: it may run again after a kill or a failed
 * attempt, but never without one.
 */
export function checkRanOnce(runs: ReadonlyMap<Purchase, number>, killedAt: readonly number[]): Finding {
  const problems: string[] = [];
  for (const [purchase, count] of runs) {
    const { tool, startedAt, endedAt = Number.POSITIVE_INFINITY, answers } = purchase;
    const kills = killedAt.filter((at) => at >= startedAt && at <= endedAt + KILL_IS_SEEN_WITHIN_MILLISECONDS).length;
    const failures = answers.filter((answer) => answer.kind === "open" && !STILL_THE_SAME_RUN.has(answer.code)).length;
    const most = tool === "search_flights" ? 1 + kills + failures : 1;
    if (count > most) problems.push(`${describe(purchase)} ran ${count} times, at most ${most} could be explained`);
  }
  return { invariant: "no tool ran twice for one signature", onlyAlone: true, checked: runs.size, problems };
}

const KILL_IS_SEEN_WITHIN_MILLISECONDS = 500;
