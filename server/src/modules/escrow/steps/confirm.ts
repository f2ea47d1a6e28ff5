import { encodeFunctionData } from "viem";
import { z } from "zod";
import { StoredHash } from "../../../domain/stored-fields.ts";
import { tripEscrowAbi as abi } from "../../../generated/contracts/trip-escrow.ts";
import { emitted } from "./escrow-event.ts";
import { defineBookingStep } from "./step.ts";

const fields = z.strictObject({ name: z.literal("confirm"), bookingId: StoredHash, ticketHash: StoredHash });

/** Records that the booking is ticketed; moves no money. */
export const confirmStep = defineBookingStep({ fields, startsFrom: ["committed"] }, ({ bookingId, ticketHash }) => ({
  encode: (tripId) => encodeFunctionData({ abi, functionName: "confirm", args: [tripId, bookingId, ticketHash] }),
  gas: 60_000n,
  events: [emitted("BookingConfirmed", { bookingId, ticketHash })],
  refusals: { WrongState: "wrong_state" },

  // Until it is settled the booking can be cancelled.
  plan: { movements: [], boughtHash: ticketHash, irreversible: [] },
  apply: () => ({ booking: { state: "confirmed", ticketHash } }),
  note: () => ({ text: "A booking's tickets or confirmation were recorded in escrow.", details: { ticketHash } }),
}));
