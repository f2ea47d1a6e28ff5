import { z } from "zod";
import { formatDecimal, type Micro } from "../../../domain/money.ts";
import { toVisibleText } from "../../../domain/visible-text.ts";
import { PAID_BY_ESCROW, type PaidOrder, type WalletMovement } from "../wallet-movements.ts";

export const MovementKind = z
  .enum([
    "deposit",
    "faucet",
    "order_payment",
    "order_refund",
    "settlement_return",
    "transfer",
    "split",
    "swap",
    "bridge",
    "trip_budget",
    "trip_return",
    "gateway",
    "usage",
    "other",
  ])
  .describe(
    "settlement_return: the escrow has paid an order that the wallet had paid; trip_return: returned or paid out by the escrow; usage: the price of calls; bridge: from or to your wallet on another chain",
  );
type MovementKind = z.infer<typeof MovementKind>;

export const MovementState = z
  .enum(["pending", "confirmed", "reverted"])
  .describe("reverted: the money is available again");

/** The kind of a movement, by the purpose of its transaction. */
const KIND_BY_PURPOSE: Readonly<Record<string, MovementKind>> = {
  development_money: "faucet",
  faucet_drip: "faucet",
  capture: "order_payment",
  servicing: "order_payment",
  refund: "order_refund",
  send_tokens: "transfer",
  settle_split: "split",
  swap_tokens: "swap",
  gateway_deposit: "gateway",
  gateway_transfer: "gateway",
  gateway_mint: "gateway",
  bridged_swap: "swap",
  bridge_burn: "bridge",
  bridge_mint: "bridge",
  trip_prefund: "trip_budget",
  escrow_trip: "trip_return",
  escrow_booking: "trip_return",
  usage: "usage",
};

/** The fields of chain operations that name the payee and the trip. */
const Named = z.object({
  to: z.string().optional(),
  supplier: z.string().optional(),
  tripId: z.string().optional(),
  action: z.object({ bookingId: z.string().optional(), name: z.string().optional() }).optional(),
});

export function describeMovement(movement: WalletMovement) {
  const { id, at, direction, token, transaction, transfer, order, hash, pot } = movement;
  const { tripId, action } = Named.parse(transaction?.operation ?? {});
  return {
    id,
    direction,
    token,
    at: at.toString(),
    kind: movementKind(movement),
    counterpart: direction === "in" ? nameSender(movement) : nameReceiver(movement),
    state: movementState(movement),
    orderId: order?.orderId ?? null,
    bookingId: order?.bookingId ?? action?.bookingId ?? null,
    tripId: tripId ?? null,
    transferId: transfer?.id ?? transaction?.id ?? null,
    ...(pot === undefined ? {} : { pot }),
    ...(isBetweenOwn(movement) ? { isBetweenOwn: true as const } : {}),
    ...(isWithFee(movement) && transfer?.fee !== undefined ? { fee: formatDecimal(transfer.fee) } : {}),
    txHash: hash ?? null,
  };
}

function movementKind({ direction, sender, transaction, pot }: WalletMovement): MovementKind {
  if (pot !== undefined) return pot;
  if (direction === "in" && "account" in sender && sender.account === "escrow") return "trip_return";
  if (direction === "in" && "account" in sender && sender.account === "gateway") return "gateway";
  const known = transaction === undefined ? undefined : KIND_BY_PURPOSE[transaction.purpose];
  if (known === "order_refund" && transaction?.idempotencyKey.includes(PAID_BY_ESCROW)) return "settlement_return";
  return known ?? (direction === "in" ? "deposit" : "other");
}

/** Other movements of a transfer, such as the deposit before it, have their amounts without the fee. */
const isWithFee = (movement: WalletMovement): boolean =>
  movement.direction === "out" && (movement.pot !== undefined || movementKind(movement) === "bridge");

/** It stays the tenant's, apart from a fee: between its wallets, or into or out of its money in the Gateway. */
function isBetweenOwn(movement: WalletMovement): boolean {
  const { direction, pot, transfer } = movement;
  if (pot !== undefined) return transfer?.isToOwnWallet === true;
  const kind = movementKind(movement);
  return kind === "bridge" || (kind === "gateway" && (direction === "out" || transfer?.isToOwnWallet !== false));
}

/** The part that came from others or went to them. */
export function amountWithOthers(movement: WalletMovement): Micro {
  if (!isBetweenOwn(movement)) return movement.amount;
  return isWithFee(movement) ? (movement.transfer?.fee ?? 0n) : 0n;
}

function movementState({ direction, transaction }: WalletMovement): z.infer<typeof MovementState> {
  // The chain has confirmed this event. Money that left without a transaction of ours was entered afterwards.
  if (direction === "in" || transaction === undefined) return "confirmed";
  return transaction.state === "queued" || transaction.state === "signed" ? "pending" : transaction.state;
}

function nameSender(movement: WalletMovement): string | null {
  const { sender } = movement;
  const kind = movementKind(movement);
  if (kind === "swap") return "swap_pool";
  if (kind === "gateway") return kind;
  if (kind === "bridge") return "treasury";
  if (!("account" in sender)) return sender.address ?? null;
  return sender.account === "escrow" ? "trip_budget" : sender.account;
}

function nameReceiver(movement: WalletMovement): string | null {
  if (movement.pot !== undefined) return movement.transfer?.recipient ?? null;
  const kind = movementKind(movement);
  if (kind === "trip_budget" || kind === "gateway") return kind;
  if (kind === "bridge") return "treasury";
  if (kind === "swap") return "swap_pool";
  if (kind === "order_payment" || kind === "usage") return "collection";
  const { to, supplier } = Named.parse(movement.transaction?.operation ?? {});
  return to ?? supplier ?? null;
}

const WORDS: Readonly<Record<MovementKind, string>> = {
  deposit: "Incoming transfer",
  faucet: "Development money",
  order_payment: "Payment of an order",
  order_refund: "Refund of an order",
  settlement_return: "Returned by the service: the escrow has paid the order that the wallet had paid",
  transfer: "Transfer to an address",
  split: "Payment that was split between a vendor and you",
  swap: "Exchange of USDC and EURC in the operator's pool",
  bridge: "Transfer between your wallets on two chains",
  trip_budget: "Budget of a trip, moved into escrow",
  gateway: "Deposit into the Gateway",
  trip_return: "Returned from a trip's budget, or paid out by it",
  usage: "The price of calls",
  other: "Not sent by this service's tools",
};

/** Escrow steps that pay to the wallet. */
const STEPS: Readonly<Record<string, string>> = {
  cancel: "Returned from a trip's budget: the reservation of a cancelled booking",
  settle: "Returned from a trip's budget: what the booking did not use, by settle_booking",
  close: "Returned from a trip's budget: what was free, by close_trip",
  log: "From a trip's budget: the fee of log_agent_action",
  release: "Returned from a trip's budget: what was free when the trip expired",
  release_booking: "Returned from a trip's budget: the reservation of a booking of an expired trip",
};

const ACTIONS: Readonly<Record<NonNullable<PaidOrder["action"]>, string>> = {
  flight_cancellation: "its cancellation",
  flight_change: "its change",
  stay_cancellation: "its cancellation",
};

const LONGEST_WHAT = 200;

/** One payment contains the tenant's fee and the rest of the reservation. */
function sayFee({ amount, token }: WalletMovement, fee: Micro): string {
  const rest = amount === fee ? "" : ` of ${formatDecimal(fee)} ${token} and returned what the booking did not use`;
  return `From a trip's budget: settle_booking paid your fee${rest}`;
}

/** Names of accommodations are third-party text. */
export function sayMovement(movement: WalletMovement): string {
  const { order, transaction } = movement;
  const kind = movementKind(movement);
  const { action } = Named.parse(transaction?.operation ?? {});
  const step = kind === "trip_return" ? STEPS[action?.name ?? ""] : undefined;
  if (action?.name === "settle" && transaction?.bookingFee) return sayFee(movement, transaction.bookingFee);
  if (step !== undefined) return step;
  if (movement.pot !== undefined) return "Out of the Gateway to another chain, with the Gateway's fee";
  if (kind === "gateway" && movement.direction === "in")
    return movement.transfer === undefined
      ? "Withdrawal from the Gateway"
      : "Out of your money in the Gateway on another chain";
  if (order?.what === undefined) return WORDS[kind];
  const reference = order.reference === undefined ? "" : ` (${order.reference})`;
  const done = order.action === undefined ? "" : `, for ${ACTIONS[order.action]}`;
  const what = order.kind === "flight" ? `flight ${order.what}` : `stay at ${order.what}`;
  return `${WORDS[kind]}: ${toVisibleText(what, LONGEST_WHAT)}${reference}${done}`;
}
