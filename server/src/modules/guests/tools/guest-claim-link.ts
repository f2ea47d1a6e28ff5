import { z } from "zod";
import { final } from "../../../kernel/contracts/call-plan.ts";
import { shownOnce } from "../../../kernel/contracts/shown-once.ts";
import { Replayed } from "../../../kernel/contracts/tool.ts";
import { Hash, requireHash, stepErrors, tripStateErrors } from "../../escrow/index.ts";
import { readGuestLink } from "../../invitations/index.ts";
import { ChainWrite, FreeRecipient, readAddress } from "../../treasury/index.ts";
import { checkFirstClaim, claimTrip } from "../claim-trip.ts";
import { defineTool } from "../context.ts";
import { guestClaimErrors, guestFailure } from "../errors.ts";

const { trip_not_found, trip_not_funded, trip_expired, trip_closed, trip_in_progress } = tripStateErrors;
const DEVELOPMENT_CHAIN = 5_042_002;
const CLAIM_CODE = /^\d{6}$/;

const Output = ChainWrite.extend({
  tripId: z.string(),
  guestWallet: z.string(),
  claimedAt: z.string(),
  escrowAddress: z.string(),
  waitingRunIds: z
    .array(z.string())
    .readonly()
    .default([])
    .describe("Runs that waited for the claim and now continue: see read_run"),
});

export const guestClaimLink = defineTool({
  name: "guest_claim_link",
  title: "Claim a trip for its guest",
  summary:
    "Bind the guest's wallet to your trip, with its link and code. Works once; a repeat returns the first answer.",
  advice:
    "Guests claim on the linked page: claim only for one who asked and named their wallet, or for your own trip. In the sandbox any address will do.",
  area: "escrow",
  effect: "write",
  price: 5_000n,
  payableWithoutKey: false,
  uses: ["chain", "submission", "stores", "clock", "claimKeys"],
  input: z.strictObject({
    guestLink: shownOnce(z.string()).describe("The complete link, including the part after #"),
    guestWallet: FreeRecipient.describe("0x address of the guest's own wallet"),
    chainId: z
      .number()
      .refine(Number.isInteger, { message: "must be a whole number" })
      .meta({ type: "integer" })
      .default(DEVELOPMENT_CHAIN),
    escrowAddress: z.string().optional().describe("Default: this network's"),
    claimCode: shownOnce(
      z.string().refine((code) => CLAIM_CODE.test(code), { message: "must be six digits" }),
    ).optional(),
    codeNonce: Hash.optional(),
  }),
  output: Output,
  errors: {
    trip_not_found,
    trip_not_funded,
    trip_expired,
    trip_closed,
    trip_in_progress,
    ...stepErrors,
    ...guestClaimErrors,
  },
  example: (_today, { guestLink, claimCode }) => ({
    guestLink,
    guestWallet: "0x00000000000000000000000000000000000a11ce",
    claimCode,
  }),
  usesUp: ["guestLink"],

  plan: () => ({ movements: [], irreversible: [final("the trip belongs to the guest's wallet")] }),

  probe: (input, { chain, stores, clock, claimKeys, caller: { tenantId } }) =>
    checkFirstClaim({ chain, stores, clock, claimKeys }, { ...readClaim(input), claimCode: input.claimCode, tenantId }),

  async run(input, { chain, submission, stores, clock, claimKeys, caller, call }) {
    const claim = readClaim(input);
    const { tenantId, environment } = caller;
    const claimed = { tenantId, environment, name: "trip_claimed", subject: claim.tripId };
    const waitingRunIds = await stores.runEvents.waitingRuns(claimed);
    const { kind, result, firstCallId } = await claimTrip(
      { chain, submission, stores, clock, claimKeys },
      {
        ...claim,
        claimCode: input.claimCode,
        codeNonce: input.codeNonce === undefined ? undefined : requireHash(input.codeNonce),
        tenantId: caller.tenantId,
        callId: call.id,
      },
    );
    const answer = { ...Output.parse(result), waitingRunIds };
    return kind === "replayed" && firstCallId !== null ? new Replayed(answer, firstCallId) : answer;
  },
});

function readClaim(input: {
  guestLink: string;
  guestWallet: string;
  chainId: number;
  escrowAddress?: string | undefined;
}) {
  const link = readGuestLink(input.guestLink);
  if (link === undefined) throw guestFailure("claim_link_invalid");
  const guestWallet = readAddress(input.guestWallet);
  if (guestWallet === undefined) throw new Error("the schema has let a bad value through");
  return { ...link, guestWallet, chainId: input.chainId, escrowAddress: input.escrowAddress };
}
