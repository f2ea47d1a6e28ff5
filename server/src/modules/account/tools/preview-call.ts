import { z } from "zod";
import { nameChain } from "../../../domain/chains/named-chains.ts";
import { formatDecimal } from "../../../domain/money.ts";
import { DecimalAmount, wordsOfOthers } from "../../../domain/schemas.ts";
import { tokenSymbols } from "../../../domain/tokens.ts";
import type { CallPlan, PlannedArrival } from "../../../kernel/contracts/call-plan.ts";
import type { Allowance } from "../../../kernel/contracts/preview-answer.ts";
import { ChainName } from "../../../ports/chain/chain-key.ts";
import { defineTool } from "../context.ts";

const Amount = z.string().nullable().describe("null: the supplier or the chain decides");

const Output = z.object({
  tool: z.string(),
  accepted: z.boolean().describe("false: problem is the error that the call would get"),
  problem: z.looseObject({ code: z.string(), detail: z.string(), retryable: z.boolean() }).nullable(),
  priceMicroUsdc: z
    .string()
    .nullable()
    .describe("Price of the call itself, after the plan's discount; charged if it succeeds"),
  priceUsdc: z.string().nullable(),
  listPriceMicroUsdc: z.string().nullable(),
  paidBy: z.enum(["tenant", "payment"]).nullable(),
  allowances: z
    .array(z.object({ name: wordsOfOthers(), token: z.string(), left: z.string(), leftAfter: Amount }))
    .readonly()
    .describe("The cap, limits and wallet: what is left of each now and after the call; perCall does not change"),
  movements: z
    .array(
      z.object({
        token: z.string(),
        amount: Amount,
        from: z
          .string()
          .describe("treasury, gateway, collection, trip_budget, booking_reservation, swap_pool or an address"),
        to: z.string(),
        part: z.enum(["cost", "markup", "service_fee", "rest"]).nullable().describe("For a price that is divided"),
        isLater: z.boolean().describe("true: this call fixes the amount, a later call moves it"),
        chain: ChainName.optional().describe("If it is a further chain"),
        toChain: ChainName.optional().describe("If it arrives on another chain"),
      }),
    )
    .readonly(),
  totals: z
    .array(z.object({ token: z.string(), amount: Amount }))
    .readonly()
    .describe(
      "Total of all movements by token, including fee and markup; money that passes through the Gateway counts once",
    ),
  inAllUsdc: Amount.describe(
    "The total that leaves you: the two amounts of inAllParts. Excludes money that goes to a trip's budget or back to the treasury, such as your markup; null: not known",
  ),
  inAllParts: z.object({
    paidToOthersUsdc: Amount.describe(
      "From the wallet, or a trip's budget, as movements say; null: not known, or not all of it is USDC",
    ),
    paidToOthers: z
      .array(z.object({ token: z.string(), amount: Amount }))
      .readonly()
      .describe("The same by token"),
    callPriceUsdc: Amount.describe("priceUsdc: counts against the monthly cap and does not come out of the wallet"),
  }),
  arrival: z
    .object({
      fee: DecimalAmount,
      amountReceived: DecimalAmount,
      receivedToken: z.enum(tokenSymbols),
      expectedBy: z.string(),
    })
    .optional()
    .describe("For a transfer between chains, if known: the most that is taken and the least that arrives"),
  irreversible: z
    .array(
      z.object({
        what: z.string(),
        undo: z
          .enum(["never", "until", "not_known"])
          .describe("until: see undoableUntil; not_known: the supplier has not said"),
        undoableUntil: z.string().nullable(),
        undoCostUsdc: z.string().nullable().describe("null: nothing to undo, or not known"),
      }),
    )
    .readonly()
    .describe("What cannot be undone afterwards"),
  warnings: z
    .array(z.string())
    .readonly()
    .describe("What to settle before the call, such as a visa; travelers are numbered in booking order"),
  overlappingOrderIds: z
    .array(z.string())
    .readonly()
    .describe("Orders that the travelers already have for the same time, as warnings say"),
  note: z.string(),
});

export const previewCall = defineTool({
  name: "preview_call",
  title: "Preview a call",
  summary:
    "Show what a call of another tool would do now, without doing it: accepted or the error it would get, price, what is left, money that moves, what is final.",
  advice:
    "It may query a supplier or the chain but changes nothing there. A travel policy applies here only if the tenant enforces it; check_policy always checks.",
  area: "account",
  // Needs the scope of the previewed tool, so that nobody else learns anything.
  scopes: [],
  effect: "read",
  price: 500n,
  payableWithoutKey: false,
  uses: [],
  input: z.strictObject({
    tool: z.string().describe("Its name"),
    args: z.record(z.string(), z.unknown()).describe("The arguments of that call"),
  }),
  output: Output,
  errors: {},
  example: () => ({
    tool: "send_tokens",
    args: { to: "0x00000000000000000000000000000000000a11ce", amount: "1.50" },
  }),

  remember: ({ tool }, { warnings: [first, ...others] }) =>
    first === undefined
      ? undefined
      : {
          kind: "decision",
          text: `A preview of ${tool} warned: ${first}${others.length === 0 ? "" : ` (and ${others.length} more)`}`,
          details: { tool, warnings: others.length + 1 },
        },

  async run({ tool, args }, { call }) {
    const preview = await call.preview(tool, args, { isAsked: true });
    const { refusal, tried, allowances, warnings, overlappingOrderIds, plan } = preview;
    const { movements = [], irreversible = [], arrival } = refusal === undefined ? (plan ?? {}) : {};
    return {
      tool: tried?.toolName ?? tool,
      accepted: refusal === undefined,
      problem: refusal ?? null,
      priceMicroUsdc: tried?.price.toString() ?? null,
      priceUsdc: tried === undefined ? null : formatDecimal(tried.price),
      listPriceMicroUsdc: tried?.listPrice.toString() ?? null,
      paidBy: tried?.paidBy ?? null,
      allowances,
      movements: movements.map(
        ({ chain, toChain, token, expected, amount = expected, from, to, part = null, isLater }) => ({
          ...(chain === undefined ? {} : { chain: nameChain(chain) }),
          ...(toChain === undefined ? {} : { toChain: nameChain(toChain) }),
          token,
          from,
          to,
          part,
          isLater: isLater === true,
          amount: amount === undefined ? null : formatDecimal(amount),
        }),
      ),
      totals: sumByToken(movements.filter(({ isPartOfNext }) => isPartOfNext !== true)),
      ...computeInAll(movements, refusal === undefined ? tried : undefined),
      ...(arrival === undefined ? {} : { arrival: describeArrival(arrival) }),
      irreversible: irreversible.map(({ what, undo = "never" as const, undoableUntil, undoCost }) => ({
        what,
        undo: undoableUntil === undefined ? undo : ("until" as const),
        undoableUntil: undoableUntil?.toString() ?? null,
        undoCostUsdc: undoCost === undefined ? null : formatDecimal(undoCost),
      })),
      warnings,
      overlappingOrderIds: [...new Set(overlappingOrderIds)],
      note: [
        noteOn(tried?.effect, plan),
        ...((refusal === undefined && sayUnjudged(allowances)) || []),
        ...((refusal === undefined && plan?.remarks) || []),
      ].join(" "),
    };
  },
});

const describeArrival = ({ fee, amountReceived, receivedToken, expectedBy }: PlannedArrival) => ({
  fee: formatDecimal(fee),
  amountReceived: formatDecimal(amountReceived),
  receivedToken,
  expectedBy: expectedBy.toString(),
});

function sumByToken(movements: CallPlan["movements"]) {
  return [...Map.groupBy(movements, ({ token }) => token)].map(([token, some]) => {
    const amounts = some.map(({ expected, amount = expected }) => amount);
    const known = amounts.filter((amount) => amount !== undefined);
    const isKnown = known.length === amounts.length;
    return { token, amount: isKnown ? formatDecimal(known.reduce((sum, amount) => sum + amount, 0n)) : null };
  });
}

const STILL_YOURS: ReadonlySet<string> = new Set(["treasury", "gateway", "trip_budget", "booking_reservation"]);

function computeInAll(movements: CallPlan["movements"], tried: { price: bigint; paidBy: string } | undefined) {
  const paid = movements.filter(({ to }) => !STILL_YOURS.has(to));
  const amounts = paid.map(({ expected, amount = expected }) => amount).filter((amount) => amount !== undefined);
  // A sum in USDC would omit amounts in other tokens.
  const isKnown = tried !== undefined && amounts.length === paid.length && paid.every(({ token }) => token === "USDC");
  const toOthers = isKnown ? amounts.reduce((sum, amount) => sum + amount, 0n) : undefined;
  const say = (amount: bigint | undefined) => (amount === undefined ? null : formatDecimal(amount));
  return {
    inAllUsdc: toOthers === undefined || tried === undefined ? null : formatDecimal(toOthers + tried.price),
    inAllParts: { paidToOthersUsdc: say(toOthers), callPriceUsdc: say(tried?.price), paidToOthers: sumByToken(paid) },
  };
}

/** The allowances that limit a price unknown before the call. */
function sayUnjudged(allowances: readonly Allowance[]): string[] {
  if (allowances.every(({ leftAfter }) => leftAfter !== null)) return [];
  return [
    "The price is not known here, so it was not compared with the allowances whose leftAfter is null. The call can still be refused with spend_limit_exceeded or insufficient_balance.",
  ];
}

/** No outside system was asked, and the answer must not suggest otherwise. */
function noteOn(effect: string | undefined, plan: CallPlan | undefined): string {
  if (effect === undefined) return "Nothing was done.";
  if (plan?.isRepeat === true && plan.refusal === undefined) {
    return "Nothing was done. An earlier call did this or is doing it: the call would return that answer and move no money.";
  }
  return "Nothing was done, here or elsewhere. The supplier or the chain can still refuse the call itself.";
}
