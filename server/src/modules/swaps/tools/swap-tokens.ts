import { z } from "zod";
import { Failure } from "../../../domain/errors.ts";
import { formatDecimal, parseDecimal } from "../../../domain/money.ts";
import { DecimalAmount } from "../../../domain/schemas.ts";
import { tokenSymbols } from "../../../domain/tokens.ts";
import { final, planOrRefusal } from "../../../kernel/contracts/call-plan.ts";
import type { Chain } from "../../../ports/chain/chain.ts";
import type { ChainTransaction } from "../../../ports/chain/chain-transactions.ts";
import {
  ChainWrite,
  chainProvenance,
  requireAvailable,
  requireMoving,
  sendOut,
  sendOutErrors,
  TokenAmount,
  toToolAnswer,
} from "../../treasury/index.ts";
import { defineTool } from "../context.ts";
import { openPool, type Pool } from "../open-pool.ts";
import { QUOTE_SECONDS, quoteErrors, quoteSwap, type SwapQuote } from "../quote.ts";
import { readReceived } from "../read-received.ts";
import { swap } from "../swap-operation.ts";

const Stored = ChainWrite.extend({
  from: z.string().describe("Your treasury wallet, which also receives"),
  pool: z.string(),
  fromToken: z.enum(tokenSymbols),
  toToken: z.enum(tokenSymbols),
  amountSent: DecimalAmount,
  minimumReceived: DecimalAmount.describe("As signed; for less, the swap would have had no effect"),
  rate: z.string().describe("Units of toToken per unit of fromToken, before the spread"),
  spreadBps: z.int().describe("Deducted from the rate, in hundredths of a percent"),
  rateSource: z.string(),
  rateAsOf: z.string(),
  rateWarning: z.string().optional().describe("The rate is out of date"),
});
const Output = Stored.extend({ amountReceived: DecimalAmount.describe("After the spread, as recorded on chain") });

export const swapTokens = defineTool({
  name: "swap_tokens",
  title: "Swap tokens",
  summary: "Exchange USDC for EURC, or EURC for USDC, in your treasury wallet at the quoted rate.",
  advice:
    "preview_call quotes it first: rate, spread, least received, most that the pool pays. Repeating the call swaps again, unless it has the same idempotency key.",
  area: "treasury",
  effect: "spend",
  price: 5_000n,
  payableWithoutKey: false,
  uses: ["chain", "usableChains", "stores", "fx", "clock"],
  input: z
    .strictObject({ fromToken: z.enum(tokenSymbols), toToken: z.enum(tokenSymbols), amount: TokenAmount })
    .refine(({ fromToken, toToken }) => fromToken !== toToken, {
      path: ["toToken"],
      message: "must be the other token: USDC is swapped for EURC, and EURC for USDC",
    }),
  output: Output,
  errors: {
    ...sendOutErrors,
    ...quoteErrors,
    chain_not_available: "This network has no swap pool of the operator. Nothing was done. Use a sandbox key.",
    price_moved:
      "The pool's terms changed before the swap, and it would have paid less than quoted. No money was moved; call again for a new quote.",
    swap_expired: "The swap was not carried out before its deadline. No money was moved; call again for a new quote.",
  },
  example: () => ({ fromToken: "USDC" as const, toToken: "EURC" as const, amount: "25.00" }),
  gives: ({ txHash }) => ({ txHash }),

  plan: ({ fromToken, toToken, amount }) =>
    planOrRefusal(async () => ({
      movements: [
        { token: fromToken, amount: parseDecimal(amount), from: "treasury", to: "swap_pool" },
        // The pool's spread decides.
        { token: toToken, amount: undefined, from: "swap_pool", to: "treasury" },
      ],
      irreversible: [final("the swap")],
    })),

  async probe({ fromToken, amount }, ports) {
    const { environment } = ports.caller;
    const { terms } = await openPool(ports);
    await quoteSwap(ports, environment, terms, { token: fromToken, amount: requireAmount(amount) });
  },

  async remarks({ fromToken, amount }, ports) {
    const { environment } = ports.caller;
    const pool = await openPool(ports);
    return [
      sayQuote(await quoteSwap(ports, environment, pool.terms, { token: fromToken, amount: requireAmount(amount) })),
    ];
  },

  async run(input, { call, ...ports }) {
    const { stores, clock, caller } = ports;
    const pool = await openPool(ports);
    const { chain, submission } = pool;
    const wish = { token: input.fromToken, amount: requireAmount(input.amount) };
    const quote = await quoteSwap(ports, caller.environment, pool.terms, wish).catch(async (refusal: unknown) => {
      // A preview says what the wallet lacks before it asks the pool.
      await requireMoving(stores.boundChains, chain.key);
      const purse = { ...chain.key, tenantId: caller.tenantId, token: wish.token };
      await requireAvailable(stores.ledger, purse, wish.amount);
      throw refusal;
    });
    const { address: from } = await stores.wallets.ensure(chain.key, "treasury", caller.tenantId);
    const answer = await sendOut(
      { chain, submission, stores },
      {
        tenantId: caller.tenantId,
        callId: call.id,
        idempotencyKey: `swap_tokens:${call.id}`,
        purpose: "swap_tokens",
        operation: swap,
        input: {
          ...wish,
          from,
          pool: pool.address,
          rate: quote.poolRate,
          minimum: quote.amountOut,
          deadline: BigInt(Math.floor(clock.now().epochMilliseconds / 1000) + QUOTE_SECONDS),
        },
        result: { from, ...describeQuote(quote, pool), ...chainProvenance(chain, clock) },
        // A repetition is quoted anew, and the first quote counts.
        isSame(earlier) {
          const { token, amount } = swap.read(earlier.operation) ?? {};
          return token === wish.token && amount === wish.amount;
        },
        explainRevert,
      },
    );
    const result = await complete(answer.result, chain).catch((cause: unknown) => {
      throw new Failure("transfer_in_progress", { extra: { transactionId: answer.transaction.id }, cause });
    });
    return toToolAnswer({ ...answer, result }, Output);
  },

  complete: (stored, { chain }) => complete(stored, chain),
});

async function complete(stored: unknown, chain: Chain): Promise<z.input<typeof Output>> {
  const result = Stored.parse(stored);
  const { txHash, toToken, from, pool } = result;
  return { ...result, amountReceived: formatDecimal(await readReceived(chain, txHash, { toToken, from, pool })) };
}

function describeQuote(quote: SwapQuote, { address }: Pick<Pool, "address">) {
  const { token, toToken, amount, amountOut, rate, rateSource, rateAsOf, rateWarning, spreadBps } = quote;
  return {
    pool: address,
    fromToken: token,
    toToken,
    amountSent: formatDecimal(amount),
    minimumReceived: formatDecimal(amountOut),
    rate,
    spreadBps,
    rateSource,
    rateAsOf,
    ...(rateWarning === undefined ? {} : { rateWarning }),
  };
}

function sayQuote({ token, toToken, amountOut, rate, rateAsOf, rateWarning, spreadBps, most }: SwapQuote): string {
  return [
    `Quoted: 1 ${token} = ${rate} ${toToken} (as of ${rateAsOf.slice(0, 10)}), less a spread of ${spreadBps} basis points.`,
    ...(rateWarning === undefined ? [] : [rateWarning]),
    `You get at least ${formatDecimal(amountOut)} ${toToken}; otherwise the swap has no effect.`,
    `The swap must be carried out within ${QUOTE_SECONDS} seconds.`,
    `The pool exchanges up to ${formatDecimal(most)} ${token} at once now.`,
  ].join(" ");
}

/** The pool's refusals, by the names of its errors. */
const REFUSALS: readonly (readonly [
  RegExp,
  "price_moved" | "swap_expired" | "swap_not_available" | "swap_amount_too_large",
])[] = [
  [/^AmountOutTooLow\(/, "price_moved"],
  [/^(?:DeadlinePassed|QuoteExpired)\(/, "swap_expired"],
  [/^(?:Paused|RateOutsideBand|QuoteNotSigned)\(/, "swap_not_available"],
  [/^(?:AmountNotAllowed|InventoryTooLow)\(/, "swap_amount_too_large"],
];

function explainRevert({ id, hash, failure = "" }: ChainTransaction): Failure | undefined {
  const [, code] = REFUSALS.find(([pattern]) => pattern.test(failure)) ?? [];
  if (code === undefined) return undefined;
  return new Failure(code, { extra: { transactionId: id, txHash: hash }, cause: new Error(failure) });
}

function requireAmount(text: string): bigint {
  const amount = parseDecimal(text);
  if (amount === undefined) throw new Error("the schema has let a bad amount through");
  return amount;
}
