import { z } from "zod";
import { withSpellings } from "../../../domain/chains/named-chains.ts";
import { SourceChain } from "../../../domain/chains/source-chain.ts";
import { formatDecimal, type Micro, parseDecimal } from "../../../domain/money.ts";
import { DecimalAmount } from "../../../domain/schemas.ts";
import { tokenSymbols } from "../../../domain/tokens.ts";
import { final, planOrRefusal } from "../../../kernel/contracts/call-plan.ts";
import { Replayed } from "../../../kernel/contracts/tool.ts";
import {
  BRIDGE,
  bridgeErrors,
  describeTransfer,
  previewBridgeTerms,
  requireMoved,
  requireSource,
  requireTestMoney,
  runBridge,
  type Transfer,
  warnOfMainNetwork,
} from "../../cross-chain/index.ts";
import { ChainResult, chainProvenance, TokenAmount, TransferAnswer } from "../../treasury/index.ts";
import { readMinimum, SWAP_AND_BRIDGE, writeMinimum } from "../bridged/swap-and-bridge-kind.ts";
import { defineTool } from "../context.ts";
import { openPool, type PoolPorts } from "../open-pool.ts";
import { type QuotePorts, quoteErrors, quoteSwap, type SwapQuote } from "../quote.ts";

/** The rate may move by this much, in hundredths of a percent, while the money is on its way. */
const TOLERANCE_BPS = 50n;
const BASIS_POINTS = 10_000n;

const Input = z.strictObject({
  fromChain: withSpellings(SourceChain),
  amount: TokenAmount,
  targetToken: z.enum(tokenSymbols).default("EURC").describe("USDC: bridged without a swap"),
});

const Outcome = z
  .enum(["in_progress", "completed", "bridged_not_swapped", "failed"])
  .describe("bridged_not_swapped: the money is USDC in your treasury wallet; failed: nothing has moved");

const Output = ChainResult.extend(TransferAnswer.shape).extend({
  outcome: Outcome,
  minimumReceived: DecimalAmount.nullable().describe(
    "If the swap would give less, the money stays USDC; null: no swap",
  ),
  warnings: z.array(z.string()).readonly(),
  nextSteps: z.array(z.string()).describe("Options if it was not swapped"),
});
const Stored = z.object({ transferId: z.string() });

export const swapAndBridge = defineTool({
  name: "swap_and_bridge",
  title: "Bridge USDC and swap it",
  summary: "Move USDC from your wallet on another chain to Arc and exchange it there for EURC.",
  advice:
    "preview_call quotes it. Returns within 25 s with the status; read_transaction follows it. If the rate moves meanwhile, it stays USDC on Arc. Repeating the call sends again, unless it has the same idempotency key.",
  area: "treasury",
  effect: "spend",
  price: 5_000n,
  payableWithoutKey: false,
  uses: [
    ...(["chain", "usableChains", "messageAttestations", "stores", "clock", "fx"] as const),
    ...(["transferWaits", "bridgeFinality"] as const),
  ],
  input: Input,
  output: Output,
  errors: { ...bridgeErrors, ...quoteErrors },
  example: () => ({ fromChain: "Base_Sepolia" as const, amount: "20.00" }),

  plan: (
    { fromChain, amount, targetToken },
    { chain: home, stores, usableChains, caller: { tenantId, environment } },
  ) =>
    planOrRefusal(async () => {
      const source = { environment, chain: requireSource(fromChain, home) };
      const wallet = await stores.wallets.findTreasury(source, tenantId);
      const asked = parseDecimal(amount) ?? 0n;
      if (wallet === undefined) requireTestMoney(usableChains, source.chain, asked);
      const ends = { chain: source.chain, toChain: home.key.chain };
      const leaving = { token: "USDC", amount: asked, from: "treasury", ...ends } as const;
      // A wallet that is made by the call gets its test money first.
      const sent = wallet === undefined ? ({ ...leaving, isLater: true } as const) : leaving;
      return {
        movements:
          targetToken === "USDC"
            ? [{ ...sent, to: "treasury" }]
            : [
                { ...sent, to: "swap_pool" },
                { token: "EURC", amount: undefined, from: "swap_pool", to: "treasury" },
              ],
        irreversible: [final(`the burn on ${fromChain}`)],
        warnings: warnOfMainNetwork({ environment, fromChain: source.chain }),
      };
    }),

  async probe(input, ports) {
    await quoteBoth(ports, input);
  },

  async remarks(input, ports) {
    const { terms, quote } = await quoteBoth(ports, input);
    return [
      terms === undefined
        ? "The bridge's fee is known once the first call has opened your wallet on that chain."
        : `The bridge charges at most ${formatDecimal(terms.maxFee)} USDC.`,
      ...(quote === undefined ? [] : [sayQuote(quote)]),
    ];
  },

  async arrival(input, ports) {
    const { terms, quote } = await quoteBoth(ports, input);
    if (terms === undefined) return undefined;
    const { maxFee: fee, expectedSeconds: seconds } = terms;
    const bridged = (parseDecimal(input.amount) ?? 0n) - fee;
    const amountReceived = quote === undefined ? bridged : leastReceived(quote);
    return { fee, amountReceived, receivedToken: input.targetToken, expectedBy: ports.clock.now().add({ seconds }) };
  },

  async complete(stored, { chain, stores, clock, caller }) {
    const { transferId } = Stored.parse(stored);
    const transfer = await stores.transfers.find(caller, transferId);
    if (transfer === undefined) throw new Error(`there is no transfer ${transferId}`);
    return { ...describeOutcome(transfer), chainId: chain.chainId, ...chainProvenance(chain, clock) };
  },

  async run(input, ports) {
    const { chain: home, clock, call } = ports;
    const { fromChain, targetToken } = input;
    const amount = parseDecimal(input.amount) ?? 0n;
    const isSwapped = targetToken === "EURC";
    const transfer = requireMoved(
      await runBridge(ports, {
        kind: isSwapped ? SWAP_AND_BRIDGE : BRIDGE,
        fromChain,
        amount,
        receivedToken: targetToken,
        async prepare({ maxFee }) {
          return isSwapped ? writeMinimum(leastReceived(await quoteArriving(ports, amount - maxFee))) : {};
        },
      }),
    );
    const answer = { ...describeOutcome(transfer), chainId: home.chainId, ...chainProvenance(home, clock) };
    return transfer.callId === call.id || transfer.callId === null ? answer : new Replayed(answer, transfer.callId);
  },
});

type QuotingPorts = PoolPorts & QuotePorts & Parameters<typeof previewBridgeTerms>[0];

/** The terms are undefined before the wallet is opened; the quote, for a bridge alone. */
async function quoteBoth(
  ports: QuotingPorts,
  { fromChain, amount: text, targetToken }: z.output<typeof Input>,
): Promise<{ terms: Awaited<ReturnType<typeof previewBridgeTerms>>; quote: SwapQuote | undefined }> {
  const amount = parseDecimal(text) ?? 0n;
  const terms = await previewBridgeTerms(ports, { fromChain, amount });
  const arriving = amount - (terms?.maxFee ?? 0n);
  return { terms, quote: targetToken === "USDC" ? undefined : await quoteArriving(ports, arriving) };
}

async function quoteArriving(ports: QuotingPorts, amount: Micro): Promise<SwapQuote> {
  const { terms } = await openPool(ports);
  return await quoteSwap(ports, ports.caller.environment, terms, { token: "USDC", amount });
}

function leastReceived({ amountOut }: SwapQuote): Micro {
  return (amountOut * (BASIS_POINTS - TOLERANCE_BPS)) / BASIS_POINTS;
}

function sayQuote(quote: SwapQuote): string {
  const { amountOut, rate, rateAsOf, rateWarning, spreadBps } = quote;
  return [
    `Quoted: 1 USDC = ${rate} EURC (as of ${rateAsOf.slice(0, 10)}), less a spread of ${spreadBps} basis points: about ${formatDecimal(amountOut)} EURC.`,
    ...(rateWarning === undefined ? [] : [rateWarning]),
    `You get at least ${formatDecimal(leastReceived(quote))} EURC; if the pool would pay less when the money has arrived, it stays USDC in your treasury wallet.`,
  ].join(" ");
}

function describeOutcome(transfer: Transfer) {
  const minimum = readMinimum(transfer);
  const outcome = nameOutcome(transfer);
  const amount = formatDecimal(transfer.received ?? 0n);
  return {
    ...describeTransfer(transfer),
    outcome,
    warnings: warnOfMainNetwork(transfer),
    minimumReceived: minimum === undefined ? null : formatDecimal(minimum),
    nextSteps:
      outcome === "bridged_not_swapped"
        ? [`swap_tokens with amount ${amount}, from USDC to EURC, at today's rate`, "keep it as USDC"]
        : [],
  };
}

function nameOutcome({ status, received }: Transfer): z.output<typeof Outcome> {
  if (status === "completed") return "completed";
  if (status !== "failed") return "in_progress";
  // The amount is known from the attestation on.
  return received === null ? "failed" : "bridged_not_swapped";
}
