import { z } from "zod";
import { DecimalAmount } from "../../domain/schemas.ts";
import { Hash } from "../../modules/escrow/input.ts";
import { FreeRecipient } from "../../modules/treasury/input.ts";
import type { Operation } from "../http/operation.ts";

/** What the claim page asks; others may, with the secret of a guest link. */

const Time = z.string().meta({ format: "date-time" });
const LONGEST_SECRET = 200;
const LONGEST_CODE = 20;

const LinkSecret = z
  .string()
  .max(LONGEST_SECRET)
  .describe("What stands behind the # of the guest link. Send it in the body only: addresses are logged");

export const ClaimView = z.object({
  tripId: z.string(),
  state: z
    .enum(["open", "claiming", "claimed", "locked", "expired", "closed", "funding", "failed"])
    .describe(
      "open: it can be claimed; claiming: a claim is under way; locked: the buyer has to unlock it; closed: its money has gone back; funding: its budget is on the way; failed: it was never funded",
    ),
  budgetUsdc: DecimalAmount,
  expiresAt: Time.describe("It can be claimed until then"),
  buyerName: z.string().nullable(),
  guestName: z.string().nullable(),
  tripSummary: z.string().nullable().describe("In the buyer's words"),
  requiresCode: z.boolean(),
  codesLeft: z.int().describe("Wrong codes until the claim is locked"),
  guestWallet: z.string().nullable().describe("null: not claimed"),
  claimedAt: Time.nullable(),
  txHash: z.string().nullable().describe("The claim's transaction"),
  chainId: z.int(),
  sandbox: z.boolean().describe("True: development money on a development chain"),
});

export const ViewBody = z.strictObject({ linkSecret: LinkSecret });

export const ClaimBody = z.strictObject({
  linkSecret: LinkSecret,
  guestWallet: FreeRecipient.describe("The guest's wallet address: 0x and 40 hex digits"),
  claimCode: z
    .string()
    .max(LONGEST_CODE)
    .describe("The six digits that the buyer gave to the guest, where the trip requires them")
    .exactOptional(),
});

export const Claimed = z.object({
  tripId: z.string(),
  guestWallet: z.string(),
  claimedAt: Time,
  txHash: z.string(),
  chainId: z.int(),
  status: z.literal("confirmed"),
});

const tripId = "0x7a3f0a55b5b2d9a1e6a4cf0c8d1e2f3a4b5c6d7e8f90112233445566778899aa";
const linkSecret = "mJ0H1c9Vq5d1rVqv0b2c4VwYk3T6oXx1n8sZ7uQeRtA";
const guestWallet = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
const txHash = "0x5d2a0a4f2b1c9e8d7f6a5b4c3d2e1f00998877665544332211ffeeddccbbaa99";

const pathParameters = z.object({ tripId: Hash.describe("As the guest link has it") });

export const viewClaimOperation = {
  id: "view_claim",
  method: "POST",
  path: "/api/claims/{tripId}/view",
  tag: "escrow",
  summary: "Look at a trip with its guest link",
  description:
    "What a guest sees who has the link. A POST, so that the link's secret stands in no address. 404 also for a secret of another trip; nothing is counted.",
  access: "public",
  pathParameters,
  body: { schema: ViewBody, example: { linkSecret } },
  answers: {
    200: {
      description: "The trip.",
      schema: ClaimView,
      example: {
        ...{ tripId, state: "open", budgetUsdc: "500.00", expiresAt: "2027-01-20T12:00:00Z", buyerName: "Bob" },
        ...{ guestName: "Ada", tripSummary: "Lisbon, two nights", requiresCode: true, codesLeft: 5 },
        ...{ guestWallet: null, claimedAt: null, txHash: null, chainId: 5042002, sandbox: true },
      },
    },
  },
  problems: ["not_found", "rate_limited", "unavailable"],
} satisfies Operation;

export const claimOperation = {
  id: "claim_trip",
  method: "POST",
  path: "/api/claims/{tripId}",
  tag: "escrow",
  summary: "Claim a trip with its guest link",
  description:
    "Binds the guest's wallet to the trip, once, and waits until the chain has it. The same wallet again gets the first answer. `reason` of a 409 says what stands against it; a wrong code is counted, and `attemptsLeft` says how many are left. Without a charge.",
  access: "public",
  pathParameters,
  body: { schema: ClaimBody, example: { linkSecret, guestWallet, claimCode: "482913" } },
  answers: {
    200: {
      description: "The trip is the guest's.",
      schema: Claimed,
      example: {
        ...{ tripId, guestWallet, claimedAt: "2026-12-21T09:30:00Z", txHash, chainId: 5042002 },
        status: "confirmed",
      },
    },
  },
  problems: ["not_found", "conflict", "in_progress", "rate_limited", "unavailable"],
} satisfies Operation;
