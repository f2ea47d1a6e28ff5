import { encodeFunctionData, keccak256, stringToHex } from "viem";
import type { Hex } from "../../domain/tokens.ts";
import { tripEscrowAbi } from "../../generated/contracts/trip-escrow.ts";
import type { ChainOrder } from "../../ports/chain-transactions.ts";
import type { EscrowAction } from "../../ports/escrow-contract.ts";
import type { Authorization } from "./authorizations.ts";
import type { Payload } from "./sign-order.ts";

const abi = tripEscrowAbi;
const WORD_BYTES = 32;

/** So much the contract wants to be left when it begins a payment, and lets a payment use that is refused. */
const PAYMENT_GAS = 102_000n;

/** Measured, and half as much again; what pays may need for each payment as much as it gets. */
const GAS_CEILINGS: Readonly<Record<EscrowAction["name"] | "prefund", bigint>> = {
  prefund: 300_000n,
  // Also by a signer with code of its own.
  claim: 200_000n,
  reserve: 120_000n,
  commit: 120_000n,
  confirm: 60_000n,
  settle: 220_000n + 3n * PAYMENT_GAS,
  cancel: 115_000n + PAYMENT_GAS,
  log: 140_000n + PAYMENT_GAS,
  close: 110_000n + PAYMENT_GAS,
  release: 110_000n + PAYMENT_GAS,
  // It can be a settlement.
  release_booking: 220_000n + 3n * PAYMENT_GAS,
};

/** With the funder's signature; anybody may send it. */
export function prefundPayload(
  { escrow, terms }: ChainOrder & { kind: "trip_prefund" },
  { validAfter, validBefore }: Authorization,
  signature: Hex,
): Payload {
  const args = [terms, validAfter, validBefore, signature] as const;
  const data = encodeFunctionData({ abi, functionName: "prefundWithAuthorization", args });
  return { to: escrow, data, gasCeiling: GAS_CEILINGS.prefund };
}

/**
 * What a payment uses can change between the question and the block, as recipients can be blocked meanwhile: nothing less than the
 * ceiling is sent.
 */
export function escrowPayload({ escrow, tripId, action }: ChainOrder & { kind: "escrow" }): Payload {
  return { to: escrow, data: encodeAction(tripId, action), gasCeiling: GAS_CEILINGS[action.name], isFloor: true };
}

function encodeAction(tripId: Hex, action: EscrowAction): Hex {
  switch (action.name) {
    case "claim":
      return encodeFunctionData({
        abi,
        functionName: "claim",
        args: [tripId, action.guest, action.deadline, action.signature],
      });
    case "reserve":
      return encodeFunctionData({ abi, functionName: "reserve", args: [tripId, action.bookingId, action.amount] });
    case "commit": {
      const { bookingId, vendor, vendorAmount, markup, serviceFee, itineraryHash } = action;
      const args = [tripId, bookingId, vendor, vendorAmount, markup, serviceFee, itineraryHash] as const;
      return encodeFunctionData({ abi, functionName: "commit", args });
    }
    case "confirm":
      return encodeFunctionData({ abi, functionName: "confirm", args: [tripId, action.bookingId, action.ticketHash] });
    case "settle":
      return encodeFunctionData({ abi, functionName: "settle", args: [tripId, action.bookingId] });
    case "cancel":
      return encodeFunctionData({
        abi,
        functionName: "cancel",
        args: [tripId, action.bookingId, toWord(action.reason)],
      });
    case "log":
      return encodeFunctionData({
        abi,
        functionName: "logAction",
        args: [tripId, action.actionId, toWord(action.actionType), action.fee],
      });
    case "close":
      return encodeFunctionData({ abi, functionName: "close", args: [tripId] });
    case "release":
      return encodeFunctionData({ abi, functionName: "release", args: [tripId] });
    case "release_booking":
      return encodeFunctionData({ abi, functionName: "releaseBooking", args: [tripId, action.bookingId] });
  }
}

/** The text itself, filled up with zeros; of one that is too long for that, its hash. */
export function toWord(text: string): Hex {
  const hex = stringToHex(text);
  return hex.length <= 2 + 2 * WORD_BYTES ? stringToHex(text, { size: WORD_BYTES }) : keccak256(hex);
}
