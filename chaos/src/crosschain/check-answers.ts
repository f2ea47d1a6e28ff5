import { z } from "zod";
import type { Finding } from "../area.ts";
import { describe, findRefusal, type Intent, listResults } from "../intents.ts";
import { readMark } from "./journeys.ts";
import type { SiteFacts } from "./site-facts.ts";

/** Callers' answers against the chains' events, which each call's own amount finds. */

const Told = z.object({ status: z.string().optional() });

type Counter = (facts: SiteFacts) => readonly bigint[];

const amounts: Readonly<Record<string, Counter>> = {
  bridge_to_arc: ({ burns }) => burns.map(({ amount }) => amount),
  swap_and_bridge: ({ burns }) => burns.map(({ amount }) => amount),
  gateway_transfer: ({ gatewayMints }) => gatewayMints.map(({ value }) => value),
  gateway_deposit: ({ deposits }) => deposits.map(({ value }) => value),
  gateway_withdraw: ({ withdrawals }) => withdrawals.map(({ value }) => value),
  swap_tokens: ({ swaps }) => swaps.map(({ value }) => value),
};

/** At any moment. The journal must be read before the chains. */
export function checkAnswered(journal: readonly Intent[], facts: readonly SiteFacts[], isSettled: boolean): Finding {
  let checked = 0;
  const problems = journal.flatMap((intent) => {
    const count = amounts[intent.request.tool];
    const mark = readMark(intent.request.args);
    if (count === undefined || mark === undefined) return [];
    checked += 1;
    const times = facts.flatMap(count).filter((amount) => amount === mark).length;
    const most = `${describe(intent)} is ${times} times on the chains`;
    if (times > 1) return [most];
    if (findRefusal(intent) !== undefined) return times === 0 ? [] : [`${most}, and was refused`];
    const { tool } = intent.request;
    const isDone = listResults(intent).some((result) => claimsEffect(tool, result, isSettled));
    return isDone && times === 0 ? [`${most}, and was answered as done`] : [];
  });
  return {
    invariant:
      "what was answered as done is on the chains once, what was refused is not there, and nothing is there twice",
    checked,
    problems,
  };
}

/** Before these, a transfer may still fail, and one of the Gateway may be minted later. */
function claimsEffect(tool: string, result: unknown, isSettled: boolean): boolean {
  const { status } = Told.parse(result);
  if (status === undefined || status === "failed") return status === undefined;
  const early = tool === "gateway_transfer" ? ["submitted", "burned", "attested"] : ["submitted", "requested"];
  return isSettled || !early.includes(status);
}
