import { z } from "zod";
import { DecimalAmount } from "../../domain/schemas.ts";
import { ChainName } from "../../ports/chain/chain-key.ts";

const MicroUsdc = z.string().describe("Micro-USDC: 1000000 is one USDC");
const Limit = DecimalAmount.nullable().describe("null: no limit");

const Period = z.strictObject({
  limitUsdc: Limit,
  usedUsdc: DecimalAmount,
  reservedUsdc: DecimalAmount,
  leftUsdc: Limit,
  renewsAt: z.string(),
});

const Limits = z.strictObject({
  perCallUsdc: Limit,
  perDay: Period,
  perMonth: Period,
  recipients: z.array(z.string()).readonly().nullable().describe("null: everyone"),
  tools: z.array(z.string()).readonly().nullable().describe("null: every tool"),
  confirmFromUsdc: Limit.describe("From this amount on, a client that can ask asks its user first; null: never"),
});

const Purse = z.strictObject({
  available: DecimalAmount,
  held: DecimalAmount.describe("For bookings whose outcome is not known yet"),
  outgoing: DecimalAmount.describe("In pending chain transactions"),
  holds: z.array(z.strictObject({ for: z.string(), amount: DecimalAmount })).readonly(),
});

/** The modules' facts about an account. A fact missing here fails the call, so that none stays undocumented. */
export const ModuleFacts = z.strictObject({
  spending: z.strictObject({
    period: z.string().describe("YYYY-MM, the current month in UTC"),
    spentMicroUsdc: MicroUsdc,
    capMicroUsdc: MicroUsdc,
    leftMicroUsdc: MicroUsdc,
    resetsAt: z.string(),
  }),
  limits: z.strictObject({
    mostForNextCallUsdc: Limit.describe("The smallest remaining amount; null: no limit"),
    counting: z.string().describe("Whether usedUsdc is gross"),
    key: Limits,
    keyFees: z
      .strictObject({
        limitUsdc: DecimalAmount,
        usedUsdc: DecimalAmount,
        leftUsdc: DecimalAmount,
        renewsAt: z.string(),
      })
      .nullable()
      .describe("What this key's calls may cost per month; null: only the monthly cap applies"),
    tenant: Limits,
  }),
  budgets: z
    .array(
      z.strictObject({
        budgetId: z.string(),
        costCentre: z.string().nullable(),
        endsOn: z.string().nullable(),
        amountUsdc: DecimalAmount,
        leftUsdc: DecimalAmount,
      }),
    )
    .readonly()
    .describe("Budgets that cover the next spending: each must have room for it"),
  wallet: z.strictObject({
    address: z.string().nullable(),
    USDC: Purse,
    EURC: Purse,
    otherChains: z
      .array(ChainName)
      .readonly()
      .exactOptional()
      .describe("Further chains on which you have wallets; see check_treasury"),
    otherChainsNote: z.string().nullable().describe("null: otherChains has all of them"),
    chainNames: z
      .array(z.string().regex(/^[A-Z][A-Za-z0-9_]*$/))
      .readonly()
      .describe("Chains that you can name in tool calls"),
  }),
  enforcedPolicy: z
    .strictObject({ policyId: z.string(), version: z.int() })
    .nullable()
    .describe("The policy that direct bookings must comply with; null: none"),
  expiringAirlineCredits: z
    .array(
      z.strictObject({
        airlineCreditId: z.string(),
        airlineIataCode: z.string(),
        amount: DecimalAmount,
        currency: z.string(),
        expiresAt: z.string(),
      }),
    )
    .readonly()
    .describe("Unused credits that expire within 60 days; pass them to search_flights as airlineCreditIds"),
  languageModel: z.string().describe("Models that answer conversations, in order of preference; rules: built in"),
  prices: z
    .array(z.strictObject({ priceMicroUsdc: MicroUsdc, tools: z.array(z.string()).readonly() }))
    .readonly()
    .describe("Price of one call, after the discount"),
});
