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
    case "drip":
    case "mint":
      return undefined;
  }
}

/** Whether two orders would do the same; addresses are in lower case. */
export function isSameOrder(left: ChainOrder, right: ChainOrder): boolean {
  const entriesOf = (order: ChainOrder) => Object.entries(order).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return entriesOf(left).join("\n") === entriesOf(right).join("\n");
}

/** Whether the money moved in this transaction; it can be in a block and successful, and yet something else. */
export function isCarriedOut(order: ChainOrder, receipt: ChainReceipt): boolean {
  return receipt.succeeded && receipt.movements.some((movement) => isMovedBy(order, movement));
}

/** Whether it is what the order moves; so can another one that moves the same. */
export function isMovedBy(order: ChainOrder, { token, from, to, amount }: TokenMovement): boolean {
  if (token !== order.token) return false;
  switch (order.kind) {
    case "transfer":
      return from === order.from && to === order.to && amount === order.amount;
    case "split":
      return from === order.from && amount === order.gross;
    case "drip":
      return from === NOBODY && to === order.to;
    case "mint":
      return from === NOBODY && to === order.to && amount === order.amount;
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
