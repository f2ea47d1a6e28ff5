import { z } from "zod";
import { withSpellings } from "../../../domain/chains/named-chains.ts";
import { SourceChain } from "../../../domain/chains/source-chain.ts";
import { parseDecimal } from "../../../domain/money.ts";
import { final, planOrRefusal } from "../../../kernel/contracts/call-plan.ts";
import { Replayed } from "../../../kernel/contracts/tool.ts";
import { ChainResult, chainProvenance, TokenAmount, TransferAnswer } from "../../treasury/index.ts";
import { BRIDGE } from "../bridge/bridge-kind.ts";
import {
  bridgeErrors,
  previewArrival,
  previewBridgeTerms,
  requireMoved,
  requireTestMoney,
  runBridge,
  warnOfMainNetwork,
} from "../bridge/run-bridge.ts";
import { defineTool } from "../context.ts";
import { describeTransfer } from "../describe-transfer.ts";
import { requireSource } from "../named-source.ts";

const Output = ChainResult.extend(TransferAnswer.shape).extend({ warnings: z.array(z.string()).readonly() });
const Stored = z.object({ transferId: z.string() });

export const bridgeToArc = defineTool({
  name: "bridge_to_arc",
  title: "Bridge USDC to Arc",
  summary: "Move USDC from your wallet on another chain to your treasury wallet on Arc.",
  advice:
    "Returns within 25 s with the status; read_transaction follows it. Once burned, the money cannot be recalled. Repeating the call sends again, unless it has the same idempotency key.",
  area: "treasury",
  effect: "spend",
  price: 5_000n,
  payableWithoutKey: false,
  uses: [
    ...(["chain", "usableChains", "messageAttestations", "stores", "clock"] as const),
    ...(["transferWaits", "bridgeFinality"] as const),
  ],
  input: z.strictObject({ fromChain: withSpellings(SourceChain), amount: TokenAmount }),
  output: Output,
  errors: bridgeErrors,
  example: () => ({ fromChain: "Base_Sepolia" as const, amount: "12.50" }),

  plan: ({ fromChain, amount }, { chain: home, stores, usableChains, bridgeFinality, caller }) =>
    planOrRefusal(async () => {
      const { tenantId, environment } = caller;
      const source = { environment, chain: requireSource(fromChain, home) };
      const wallet = await stores.wallets.findTreasury(source, tenantId);
      const ends = { chain: source.chain, toChain: home.key.chain };
      const movement = { token: "USDC", from: "treasury", to: "treasury", ...ends } as const;
      const asked = parseDecimal(amount) ?? 0n;
      if (wallet === undefined) requireTestMoney(usableChains, source.chain, asked);
      return {
        // The wallet gets test money at its first use.
        movements: wallet === undefined ? [] : [{ ...movement, amount: asked }],
        irreversible: [final(`the burn on ${fromChain}`)],
        warnings: warnOfMainNetwork({ environment, fromChain: source.chain }),
        remarks: [
          bridgeFinality === "fast"
            ? `${amount} USDC arrive on Arc, less a fee of a few basis points, usually within a minute.`
            : `${amount} USDC arrive on Arc, without a fee if the bridge charges none, as soon as the burn on ${fromChain} is final.`,
        ],
      };
    }),

  async probe({ fromChain, amount }, ports) {
    await previewBridgeTerms(ports, { fromChain, amount: parseDecimal(amount) ?? 0n });
  },

  arrival: ({ fromChain, amount }, ports) => previewArrival(ports, { fromChain, amount: parseDecimal(amount) ?? 0n }),

  async complete(stored, { chain, stores, clock, caller }) {
    const { transferId } = Stored.parse(stored);
    const transfer = await stores.transfers.find(caller, transferId);
    if (transfer === undefined) throw new Error(`there is no transfer ${transferId}`);
    const warnings = warnOfMainNetwork(transfer);
    return { ...describeTransfer(transfer), warnings, chainId: chain.chainId, ...chainProvenance(chain, clock) };
  },

  async run({ fromChain, amount }, ports) {
    const { chain: home, clock, call } = ports;
    const asked = { kind: BRIDGE, fromChain, amount: parseDecimal(amount) ?? 0n, receivedToken: "USDC" } as const;
    const transfer = requireMoved(await runBridge(ports, asked));
    const described = { ...describeTransfer(transfer), warnings: warnOfMainNetwork(transfer) };
    const answer = { ...described, chainId: home.chainId, ...chainProvenance(home, clock) };
    return transfer.callId === call.id || transfer.callId === null ? answer : new Replayed(answer, transfer.callId);
  },
});
