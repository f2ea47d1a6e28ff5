import { canonicalJson } from "../../domain/canonical-json.ts";
import type { Micro } from "../../domain/money.ts";
import type { Hex } from "../../domain/tokens.ts";
import type { ChainReceipt, TokenMovement } from "../../ports/chain.ts";
import type { ChainOrder, ChainTransaction } from "../../ports/chain-transactions.ts";

const NOBODY: Hex = "0x0000000000000000000000000000000000000000";

/** What the order takes out of a wallet of ours; undefined: nothing. */
export function outgoingOf(order: ChainOrder): { from: Hex; amount: Micro } | undefined {
  switch (order.kind) {
    case "transfer":
      return { from: order.from, amount: order.amount };
    case "split":
      return { from: order.from, amount: order.gross };
    case "trip_prefund":
      return { from: order.terms.funder, amount: order.terms.budget };
    case "drip":
    case "mint":
    case "payment":
    case "payment_batch":
    case "escrow":
    case "agent_registry":
      return undefined;
  }
}

/** Whether two orders would do the same; addresses are in lower case. */
export function isSameOrder(left: ChainOrder, right: ChainOrder): boolean {
  return canonicalJson(plain(left)) === canonicalJson(plain(right));
}

const plain = (order: ChainOrder): unknown =>
  JSON.parse(JSON.stringify(order, (_key, value: unknown) => (typeof value === "bigint" ? value.toString() : value)));

/** Whether it did what it was for in this transaction; that can be in a block and successful, and yet something else. */
export function isCarriedOut(order: ChainOrder, receipt: ChainReceipt): boolean {
  if (!receipt.succeeded) return false;
  switch (order.kind) {
    // Its contract goes on after an item that fails: what became of each is asked of the token.
    case "payment_batch":
      return true;
    // Their contracts do what they are asked, or revert; an empty transaction asked for nothing.
    case "escrow":
    case "agent_registry":
      return !receipt.isEmpty;
    default:
      return receipt.movements.some((movement) => isMovedBy(order, movement));
  }
}

/** Whether it is what the order moves; so can another one that moves the same. */
export function isMovedBy(order: ChainOrder, { token, from, to, amount }: TokenMovement): boolean {
  if (token !== order.token) return false;
  switch (order.kind) {
    case "transfer":
    case "payment":
      return from === order.from && to === order.to && amount === order.amount;
    case "payment_batch":
      return to === order.to && order.payments.some((payment) => from === payment.from && amount === payment.amount);
    case "split":
      return from === order.from && amount === order.gross;
    case "drip":
      return from === NOBODY && to === order.to;
    case "mint":
      return from === NOBODY && to === order.to && amount === order.amount;
    case "trip_prefund":
      return from === order.terms.funder && to === order.escrow && amount === order.terms.budget;
    case "escrow":
    case "agent_registry":
      return false;
  }
}

/** The answer of the call whose order was carried out. */
export function resultOf(
  transaction: Pick<ChainTransaction, "result">,
  chainId: number,
  txHash: Hex | undefined,
): Record<string, unknown> {
  return { ...transaction.result, txHash, chainId, status: "confirmed" };
}
