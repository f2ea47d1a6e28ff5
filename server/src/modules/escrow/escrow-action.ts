import { z } from "zod";
import { StoredAddress, StoredBytes, StoredHash, StoredInteger } from "../../domain/stored-fields.ts";

/** What the operator does with a trip, one transaction each. Amounts are micro-USDC, times Unix seconds. */
export const EscrowAction = z.discriminatedUnion("name", [
  z.strictObject({ name: z.literal("claim"), guest: StoredAddress, deadline: StoredInteger, signature: StoredBytes }),
  z.strictObject({ name: z.literal("reserve"), bookingId: StoredHash, amount: StoredInteger }),
  z.strictObject({
    name: z.literal("commit"),
    bookingId: StoredHash,
    vendor: StoredAddress,
    vendorAmount: StoredInteger,
    /** The funder's own earnings: paid to it at the settlement. */
    markup: StoredInteger,
    serviceFee: StoredInteger,
    itineraryHash: StoredHash,
  }),
  z.strictObject({ name: z.literal("confirm"), bookingId: StoredHash, ticketHash: StoredHash }),
  z.strictObject({ name: z.literal("settle"), bookingId: StoredHash }),
  /** Words are in the contract's event as they are, or as their hash when they are longer than 32 bytes. */
  z.strictObject({ name: z.literal("cancel"), bookingId: StoredHash, reason: z.string() }),
  /** Ends a booking that is not confirmed, too, and what it held is free in its trip again. */
  z.strictObject({ name: z.literal("return"), bookingId: StoredHash, reason: z.string() }),
  z.strictObject({ name: z.literal("log"), actionId: StoredHash, actionType: z.string(), fee: StoredInteger }),
  /** Gives back what is free, and nothing new is reserved. */
  z.strictObject({ name: z.literal("close") }),
  /** The same after the expiry, by anybody. */
  z.strictObject({ name: z.literal("release") }),
  /** After expiry and grace, by anybody: what is confirmed is settled, what is not is cancelled. */
  z.strictObject({ name: z.literal("release_booking"), bookingId: StoredHash }),
]);
export type EscrowAction = z.output<typeof EscrowAction>;
