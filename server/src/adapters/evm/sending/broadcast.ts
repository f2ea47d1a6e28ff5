import type { PublicClient } from "viem";
import type { Hex } from "../../../domain/tokens.ts";
import type { BroadcastAnswer } from "../../../ports/chain/chain-sender.ts";
import { chainUnavailable, refusalIn } from "../client.ts";
import { isBusy } from "../rpc.ts";

/** Nodes have no error codes for these, only texts, and each has its own. */
const WORDS: readonly (readonly [RegExp, Exclude<BroadcastAnswer["kind"], "refused">])[] = [
  [/already known|already imported|known transaction|already in (the )?(mem)?pool|already exists/i, "accepted"],
  [/nonce (is )?too low|oldnonce|nonce has already been used/i, "nonce_used"],
  [/underpriced|fee too low|less than block base fee|fee cap (less|lower)|gas price (too low|below)/i, "underpriced"],
  [/insufficient (funds|balance)|not enough funds/i, "unfunded"],
];

export async function broadcast(client: PublicClient, raw: Hex): Promise<BroadcastAnswer> {
  try {
    await client.request({ method: "eth_sendRawTransaction", params: [raw] });
    return { kind: "accepted" };
  } catch (error) {
    const refusal = refusalIn(error);
    if (refusal === undefined || isBusy(refusal)) throw chainUnavailable(error);
    const known = WORDS.find(([words]) => words.test(refusal.message));
    return known === undefined ? { kind: "refused", reason: refusal.message.slice(0, 300) } : { kind: known[1] };
  }
}
