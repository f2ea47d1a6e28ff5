import type { Finding } from "../area.ts";
import { findRepeated } from "../calls/check-usage.ts";
import type { PaidBooks } from "./books.ts";
import type { ChainSide } from "./check-answers.ts";
import { authorizationKey, describe, type Purchase, paidAnswers } from "./purchase.ts";

/** Our books of payments against the chain's, once everything came to its end. */

type Payment = PaidBooks["payments"][number];

const name = ({ id, tool, state }: Payment): string => `${id} (${tool}, ${state})`;
const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);

function listAnswers({ answers }: Purchase): string {
  const words = answers.map((answer) => {
    const code = "code" in answer ? answer.code : answer.kind;
    const reason = answer.kind === "refused" && answer.reason !== undefined ? ` ${answer.reason}` : "";
    return `${code}${reason}${answer.other ? " to the other body" : ""}`;
  });
  return [...new Set(words)].join(", ") || "nothing";
}

/** Captured = answered as paid + captured and answered now that it was asked again. */
export function checkCapturedIsAnswered(journal: readonly Purchase[], { used }: ChainSide): Finding {
  const captured = new Set(used.map(authorizationKey));
  const own = journal.filter(({ authorization }) => captured.has(authorizationKey(authorization)));
  const problems = own
    .filter((purchase) => paidAnswers(purchase).length === 0)
    .map((purchase) => `${describe(purchase)} was captured and is answered ${listAnswers(purchase)}`);
  return { invariant: "what was captured has its answer, whenever it is asked for", checked: own.length, problems };
}

/** The chain's sum, the payments' and the records'. */
export function checkSums(
  { payments, usage }: PaidBooks,
  { transfers, payTo }: ChainSide,
  buyers: ReadonlySet<string>,
): Finding {
  const captured = transfers.filter(({ from, to }) => to === payTo && buyers.has(from)).map(({ amount }) => amount);
  const settled = payments.filter(({ state }) => state === "settled").map(({ amount }) => amount);
  const recorded = usage.map(({ price }) => price);
  const same = sum(captured) === sum(settled) && sum(settled) === sum(recorded);
  const problems = same
    ? []
    : [`captured ${sum(captured)}, settled payments ${sum(settled)}, records of the paid surface ${sum(recorded)}`];
  return { invariant: "captured, settled and metered are the same sum", checked: captured.length, problems };
}

export function checkSettledOnChain({ payments, usage }: PaidBooks, { used }: ChainSide): Finding {
  const hashByAuthorization = new Map(used.map((one) => [authorizationKey(one), one.hash]));
  const records = new Map(usage.map((record) => [record.id, record]));
  const settled = payments.filter(({ state }) => state === "settled");
  const problems = [
    ...findRepeated(payments, authorizationKey).map((repeated) => `a payment of ${repeated}`),
    ...findRepeated(usage, ({ call_id }) => call_id),
  ];
  for (const payment of settled) {
    const hash = hashByAuthorization.get(authorizationKey(payment));
    const record = records.get(payment.usage_id ?? "");
    if (hash !== payment.transaction_hash)
      problems.push(`${name(payment)} names ${payment.transaction_hash}, the chain ${hash}`);
    if (record?.call_id !== payment.call_id || record.price !== payment.amount) {
      problems.push(`${name(payment)} has not its usage record of ${payment.amount}`);
    }
    if (!payment.has_result) problems.push(`${name(payment)} was taken without an answer to give`);
  }
  const owners = new Set(settled.map(({ usage_id }) => usage_id));
  problems.push(...usage.filter(({ id }) => !owners.has(id)).map(({ id }) => `${id} is metered without a payment`));
  return {
    invariant: "settled payments are on the chain, each with its one usage record",
    checked: settled.length,
    problems,
  };
}

/** Without a payment of ours behind it, an authorization was used by its payer only. */
export function checkCapturedIsBooked(
  journal: readonly Purchase[],
  { payments }: PaidBooks,
  { used }: ChainSide,
): Finding {
  const settled = new Set(payments.filter(({ state }) => state === "settled").map(authorizationKey));
  const captured = new Set(used.map(authorizationKey));
  const own = journal.filter(({ authorization }) => captured.has(authorizationKey(authorization)));
  const problems = own
    .filter(({ authorization }) => !settled.has(authorizationKey(authorization)))
    .map((purchase) => `${describe(purchase)} is captured and not among the settled payments`);
  return { invariant: "nothing is captured that is no settled payment", checked: own.length, problems };
}

export function checkReceivables({ payments, payers }: PaidBooks, { used }: ChainSide): Finding {
  const captured = new Set(used.map(authorizationKey));
  const receivables = payments.filter(({ state }) => state === "receivable");
  const counts = Map.groupBy(receivables, ({ payer }) => payer);
  const problems = receivables
    .filter((payment) => captured.has(authorizationKey(payment)) || !payment.has_result)
    .map((payment) => `${name(payment)} is captured, or has no answer`);
  const paid = Map.groupBy(
    payments.filter(({ state }) => state === "settled"),
    ({ payer }) => payer,
  );
  for (const { payer, open, receivables: counted, under_way, settled } of payers) {
    const found = counts.get(payer)?.length ?? 0;
    if (counted !== found) problems.push(`${payer} is said to owe ${counted} answers, and owes ${found}`);
    if (open !== 0n) problems.push(`${payer} is said to have ${open} open`);
    if (under_way !== 0) problems.push(`${payer} is said to have ${under_way} payments under way`);
    const times = paid.get(payer)?.length ?? 0;
    if (settled !== times) problems.push(`${payer} is said to have paid ${settled} times, and has ${times} times`);
  }
  // Payers are compared also when nobody owes anything.
  return {
    invariant: "receivables are answers that were not captured, counted by payer",
    checked: payers.length,
    problems,
  };
}

/** Every effect of a tool for a payment was earned, and every earned one was done. */
export function checkSuccesses(
  journal: readonly Purchase[],
  { payments, bookings }: PaidBooks,
  runs: ReadonlyMap<Purchase, number>,
): Finding {
  const earned = new Map(payments.filter(({ has_result }) => has_result).map((one) => [authorizationKey(one), one]));
  const calls = new Map(bookings.filter(({ state }) => state === "booked").map((one) => [one.call_id, one]));
  const writes = journal.filter(({ tool }) => tool === "send_tokens" || tool === "book_flight");
  const problems: string[] = [];
  for (const purchase of writes) {
    const count = runs.get(purchase) ?? 0;
    const payment = earned.get(authorizationKey(purchase.authorization));
    if (purchase.tool === "send_tokens" && count > 0 !== (payment !== undefined)) {
      problems.push(`${describe(purchase)} was carried out ${count} times and is ${payment?.state ?? "not earned"}`);
    }
    if (purchase.tool === "book_flight" && payment !== undefined && !calls.has(payment.call_id)) {
      problems.push(`${describe(purchase)} is ${payment.state} and nothing was booked`);
    }
  }
  const payingCalls = new Set(payments.filter(({ has_result }) => has_result).map(({ call_id }) => call_id));
  for (const [call, { id }] of calls)
    if (!payingCalls.has(call)) problems.push(`${id} was booked by ${call} and nobody owes for it`);
  return {
    invariant: "what was done was earned, and what was earned was done",
    onlyAlone: true,
    checked: writes.length,
    problems,
  };
}

export function checkNothingLeft({ payments, calls, bookings }: PaidBooks): Finding {
  const problems = [
    ...payments.filter(({ state }) => state === "claimed" || state === "earned").map(name),
    ...calls.filter(({ state }) => state === "reserved").map(({ id }) => `${id} is reserved`),
    ...bookings
      .filter(({ state }) => state !== "booked" && state !== "failed")
      .map(({ id, state }) => `${id} is ${state}`),
  ];
  return { invariant: "no claim, no fetching and no call is left", checked: payments.length, problems };
}
