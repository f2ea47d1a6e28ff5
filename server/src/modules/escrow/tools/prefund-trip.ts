import { z } from "zod";
import { Failure } from "../../../domain/errors.ts";
import { formatDecimal } from "../../../domain/money.ts";
import { DecimalAmount, Email } from "../../../domain/schemas.ts";
import { planOrRefusal, usdcMovements } from "../../../kernel/contracts/call-plan.ts";
import { shownOnce } from "../../../kernel/contracts/shown-once.ts";
import type { Caller } from "../../../kernel/contracts/tool.ts";
import type { Chain } from "../../../ports/chain/chain.ts";
import { allowedOrigin } from "../../invitations/index.ts";
import { ChainWrite, findHomePurse, sendOutErrors, TokenAmount, toToolAnswer } from "../../treasury/index.ts";
import { defineTool, type Ports } from "../context.ts";
import { stepErrors } from "../errors.ts";
import { requireNewEscrow } from "../escrows/trip-escrow.ts";
import { Hash, requireAmount, requireHash } from "../input.ts";
import { prefundTrip as prefund } from "../prefund-trip.ts";

const LONGEST_NAME = 200;
const LONGEST_TEXT = 2_000;
const LONGEST_ADDRESS = 254;
/** The digits of a 256-bit number. */
const AGENT_ID = /^[0-9]{1,78}$/;
const CONTROL = /\p{Cc}/u;
const CONTROL_BUT_LINES = /[^\P{Cc}\n\r\t]/u;

/** The buyer's texts are shown to guests. */
const text = (longest: number, forbidden: RegExp) =>
  z
    .string()
    .refine((value) => value.length <= longest, { message: `must have at most ${longest} characters` })
    .refine((value) => !forbidden.test(value), { message: "must not contain control characters" })
    .optional();

const isMailAddress = (value: string): boolean => value.length <= LONGEST_ADDRESS && Email.safeParse(value).success;

const AGENT_NOT_FOUND = "This network has no agent with the id agentTokenId. Check the id, or leave it out.";

async function requireAgent({ agentRegistries }: Chain, agentTokenId: string | undefined): Promise<void> {
  if (agentTokenId === undefined) return;
  const id = BigInt(agentTokenId);
  if (id < 2n ** 256n && (await agentRegistries?.findOwner(id)) !== undefined) return;
  throw new Failure("agent_not_found", { detail: AGENT_NOT_FOUND });
}

const Output = ChainWrite.extend({
  tripId: z.string(),
  escrowAddress: z.string(),
  budgetUsdc: DecimalAmount,
  walletAvailableUsdc: DecimalAmount.describe("What remains in your treasury wallet; the trip has budgetUsdc"),
  expiresAt: z.string().describe("ISO 8601 UTC. The free budget then returns to your treasury wallet"),
  codeNonce: z.string(),
  guestLink: shownOnce(z.string()).describe("For the guest only: anyone who has it can try to claim the trip"),
  claimCode: shownOnce(z.string())
    .describe("Six digits, if require2fa was true. For the guest; never send it in the same message as the link")
    .optional(),
  emailSent: z.boolean(),
  emailNote: z.string().optional(),
});

const Funded = Output.omit({ walletAvailableUsdc: true });

export const prefundTrip = defineTool({
  name: "prefund_trip",
  title: "Prefund a trip",
  summary: "Move a trip's budget from your treasury wallet into escrow, and get the link for the guest to claim it.",
  advice:
    "First step of a trip's money: then reserve_booking, commit_booking, confirm_flight, settle_booking. close_trip returns what is still free.",
  area: "escrow",
  effect: "spend",
  price: 5_000n,
  payableWithoutKey: false,
  uses: ["chain", "submission", "stores", "clock", "random", "claimKeys", "claimLinks", "delivery"],
  input: z.strictObject({
    budgetUsdc: TokenAmount,
    expiresInDays: z.int().min(1).max(365).default(30).describe("Until after the journey"),
    metadataCID: text(LONGEST_NAME, CONTROL),
    metadataHash: Hash.optional(),
    agentTokenId: z
      .string()
      .refine((value) => AGENT_ID.test(value), { message: "must be an agent's id: at most 78 digits" })
      .optional()
      .describe("An agent's id, digits"),
    escrowAddress: z.string().optional().describe("Default: this network's"),
    linkOrigin: text(LONGEST_NAME, CONTROL),
    require2fa: z.boolean().default(false),
    guestEmail: z
      .string()
      .refine(isMailAddress, { message: "must be an email address" })
      .optional()
      .describe("The link, never the code, is sent there if this service has email"),
    guestName: text(LONGEST_NAME, CONTROL),
    buyerName: text(LONGEST_NAME, CONTROL),
    tripSummary: text(LONGEST_TEXT, CONTROL_BUT_LINES).describe("The guest reads it"),
  }),
  output: Output,
  errors: {
    ...sendOutErrors,
    chain_not_available: stepErrors.chain_not_available,
    agent_not_found: AGENT_NOT_FOUND,
  },
  example: () => ({ budgetUsdc: "1500.00", expiresInDays: 60, require2fa: true, tripSummary: "Lisbon, three nights" }),
  gives: ({ tripId, guestLink, claimCode }) => ({
    tripId,
    guestLink,
    ...(claimCode === undefined ? {} : { claimCode }),
  }),

  // Unspent budget comes back when the trip is closed or expires.
  plan: (
    { budgetUsdc, expiresInDays, escrowAddress, linkOrigin },
    { chain, stores, claimLinks, clock, caller: { tenantId } },
  ) =>
    planOrRefusal(async () => {
      await requireNewEscrow({ chain, stores }, { tenantId, escrowAddress });
      await allowedOrigin(claimLinks, tenantId, linkOrigin);
      const lastDay = clock
        .now()
        .add({ hours: 24 * expiresInDays })
        .toZonedDateTimeISO("UTC")
        .toPlainDate();
      return {
        movements: usdcMovements([requireAmount(budgetUsdc), "treasury", "trip_budget"]),
        irreversible: [],
        remarks: [
          `The trip expires on ${lastDay.toString()}, and its free budget then returns to the wallet. If the journey ends later, set expiresInDays to more than ${expiresInDays}.`,
        ],
      };
    }),

  probe: ({ agentTokenId }, { chain }) => requireAgent(chain, agentTokenId),

  complete: buildAnswer,

  async run(input, context) {
    const { caller, call, fail: _, ...ports } = context;
    const { metadataCID, metadataHash, agentTokenId, guestName, buyerName, tripSummary } = input;
    await requireAgent(ports.chain, agentTokenId);
    const answer = await prefund(ports, {
      tenantId: caller.tenantId,
      userId: caller.userId,
      callId: call.id,
      budget: requireAmount(input.budgetUsdc),
      expiresInDays: input.expiresInDays,
      requiresCode: input.require2fa,
      details: {
        ...(metadataCID === undefined ? {} : { metadataCid: metadataCID }),
        ...(metadataHash === undefined ? {} : { metadataHash: requireHash(metadataHash) }),
        ...(agentTokenId === undefined ? {} : { agentTokenId }),
        ...(guestName === undefined ? {} : { guestName }),
        ...(buyerName === undefined ? {} : { buyerName }),
        ...(tripSummary === undefined ? {} : { tripSummary }),
      },
      guestEmail: input.guestEmail,
      linkOrigin: input.linkOrigin,
      escrowAddress: input.escrowAddress,
    });
    return toToolAnswer(
      { ...answer, result: await buildAnswer(answer.result, { stores: ports.stores, caller }) },
      Output,
    );
  },
});

/** The wallet's balance changes over time, so it is not stored with the trip. */
async function buildAnswer(
  stored: unknown,
  { stores, caller }: Pick<Ports, "stores"> & { caller: Pick<Caller, "tenantId" | "environment"> },
) {
  const { available } = await stores.ledger.balance(await findHomePurse(stores, caller));
  return { ...Funded.parse(stored), walletAvailableUsdc: formatDecimal(available) };
}
