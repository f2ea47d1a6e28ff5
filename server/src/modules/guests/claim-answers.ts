import { z } from "zod";
import { formatDecimal } from "../../domain/money.ts";
import { DecimalAmount } from "../../domain/schemas.ts";
import { profileFields } from "../travelers/index.ts";
import { FreeRecipient } from "../treasury/index.ts";
import { MOST_WRONG_CODES, nameText, summaryText, type Trip } from "../trips/index.ts";
import type { ClaimPorts } from "./claim-trip.ts";
import { missingOfGuest } from "./guest-traveler.ts";

/** The claim page's requests and answers; other clients may use them too, with the secret of a guest link. */

const Time = z.string().meta({ format: "date-time" });
const LONGEST_SECRET = 200;
const LONGEST_CODE = 20;

const LinkSecret = z
  .string()
  .max(LONGEST_SECRET)
  .describe("The part of the guest link after the #. Send it only in the body: URLs are logged");

const ClaimCode = z
  .string()
  .max(LONGEST_CODE)
  .describe("The six digits that the buyer gave to the guest, if the trip requires them");

export const ClaimView = z.object({
  tripId: z.string(),
  state: z
    .enum(["open", "claiming", "claimed", "locked", "expired", "closed", "funding", "failed"])
    .describe(
      "open: it can be claimed; claiming: a claim is pending; locked: the buyer must unlock it; closed: its money was returned; funding: the budget transfer is pending; failed: it was never funded",
    ),
  budgetUsdc: DecimalAmount,
  expiresAt: Time.describe("Deadline for claiming"),
  buyerName: z.string().nullable(),
  guestName: z.string().nullable(),
  tripSummary: z.string().nullable().describe("In the buyer's words"),
  requiresCode: z.boolean(),
  codesLeft: z.int().describe("Remaining wrong codes before the claim is locked"),
  guestWallet: z.string().nullable().describe("null: not claimed"),
  claimedAt: Time.nullable(),
  travelerMissing: z
    .array(z.string())
    .nullable()
    .describe(
      "Details that the guest must still give for bookings, once the trip is claimed; null: the trip names no guest",
    ),
  txHash: z.string().nullable().describe("The claim's transaction"),
  chainId: z.int(),
  sandbox: z.boolean().describe("True: development money on a development chain"),
});

export const ViewBody = z.strictObject({ linkSecret: LinkSecret });

export const ClaimBody = z.strictObject({
  linkSecret: LinkSecret,
  guestWallet: FreeRecipient.describe("The guest's wallet address: 0x and 40 hex digits"),
  claimCode: ClaimCode.exactOptional(),
});

const { givenName, familyName, bornOn, title, gender, email, phoneNumber } = profileFields;

export const TravelerBody = z.strictObject({
  linkSecret: LinkSecret,
  claimCode: ClaimCode.exactOptional(),
  givenName: givenName.unwrap().describe("As on the passport"),
  familyName: familyName.unwrap().describe("As on the passport"),
  bornOn: bornOn.unwrap(),
  title: title.unwrap(),
  gender: gender.unwrap().describe("As on the passport"),
  email: email.describe("Default: the address that the buyer gave"),
  phoneNumber: phoneNumber.unwrap(),
});

export const TravelerGiven = z.object({ tripId: z.string(), travelerMissing: z.array(z.string()) });

export const Claimed = z.object({
  tripId: z.string(),
  guestWallet: z.string(),
  claimedAt: Time,
  txHash: z.string(),
  chainId: z.int(),
  status: z.literal("confirmed"),
});

/** The trip as a guest may see it: without the tenant's data, and without anything derived from the code nonce. */
export async function describeForGuest(
  trip: Trip,
  { chain, clock, stores }: Pick<ClaimPorts, "chain" | "clock" | "stores">,
): Promise<z.output<typeof ClaimView>> {
  const { details } = trip;
  const travelerMissing = await missingOfGuest({ stores }, trip);
  return {
    tripId: trip.tripId,
    state: claimState(trip, clock.now()),
    budgetUsdc: formatDecimal(trip.budget),
    expiresAt: trip.expiresAt.toString(),
    buyerName: nameText(details.buyerName) ?? null,
    guestName: nameText(details.guestName) ?? null,
    tripSummary: summaryText(details.tripSummary) ?? null,
    requiresCode: trip.requiresCode,
    codesLeft: Math.max(0, MOST_WRONG_CODES - trip.wrongCodes),
    guestWallet: trip.guestWallet ?? null,
    claimedAt: trip.claimedAt?.toString() ?? null,
    travelerMissing: travelerMissing === null ? null : [...travelerMissing],
    txHash: trip.transactions.findLast(({ step }) => step === "claim")?.transactionHash ?? null,
    chainId: chain.chainId,
    sandbox: trip.environment === "sandbox",
  };
}

function claimState(trip: Trip, now: Temporal.Instant): z.output<typeof ClaimView>["state"] {
  if (trip.guestWallet !== undefined) return "claimed";
  if (trip.state === "funding" || trip.state === "failed") return trip.state;
  if (trip.pending?.step === "claim") return "claiming";
  if (Temporal.Instant.compare(now, trip.expiresAt) >= 0) return "expired";
  if (trip.state === "closed") return "closed";
  return trip.wrongCodes >= MOST_WRONG_CODES ? "locked" : "open";
}
