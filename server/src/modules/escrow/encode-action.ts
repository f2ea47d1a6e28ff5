import { encodeFunctionData, keccak256, stringToHex } from "viem";
import type { Hex } from "../../domain/tokens.ts";
import { tripEscrowAbi } from "../../generated/contracts/trip-escrow.ts";
import type { EscrowAction } from "./escrow-action.ts";

const abi = tripEscrowAbi;
const WORD_BYTES = 32;

/** What the operator sends to the escrow contract. */
export function encodeAction(tripId: Hex, action: EscrowAction): Hex {
  switch (action.name) {
    case "claim": {
      const { guest, deadline, signature } = action;
      return encodeFunctionData({ abi, functionName: "claim", args: [tripId, guest, deadline, signature] });
    }
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
    case "cancel": {
      const args = [tripId, action.bookingId, toWord(action.reason)] as const;
      return encodeFunctionData({ abi, functionName: "cancel", args });
    }
    case "return": {
      const args = [tripId, action.bookingId, toWord(action.reason)] as const;
      return encodeFunctionData({ abi, functionName: "returnToTrip", args });
    }
    case "log": {
      const args = [tripId, action.actionId, toWord(action.actionType), action.fee] as const;
      return encodeFunctionData({ abi, functionName: "logAction", args });
    }
    case "close":
      return encodeFunctionData({ abi, functionName: "close", args: [tripId] });
    case "release":
      return encodeFunctionData({ abi, functionName: "release", args: [tripId] });
    case "release_booking":
      return encodeFunctionData({ abi, functionName: "releaseBooking", args: [tripId, action.bookingId] });
  }
}

/** The text itself, filled up with zeros; of one that is too long for that, its hash. */
function toWord(text: string): Hex {
  const hex = stringToHex(text);
  return hex.length <= 2 + 2 * WORD_BYTES ? stringToHex(text, { size: WORD_BYTES }) : keccak256(hex);
}
