import { z } from "zod";
import { SourceChain } from "../../../domain/chains/source-chain.ts";
import { parseDecimal } from "../../../domain/money.ts";
import { final, planOrRefusal } from "../../../kernel/contracts/call-plan.ts";
import { Replayed } from "../../../kernel/contracts/tool.ts";
import { ChainResult, chainProvenance, sendOutErrors, TokenAmount, TransferAnswer } from "../../treasury/index.ts";
import { BRIDGE } from "../bridge/bridge-kind.ts";
import { readBridgeTerms } from "../bridge/bridge-terms.ts";
import { findStartedBridge, startBridge } from "../bridge/start-bridge.ts";
import { defineTool } from "../context.ts";
import { describeTransfer } from "../describe-transfer.ts";
import { requireSource } from "../named-source.ts";
import { hasEnded, type Transfer } from "../transfers.ts";

const WAIT_MILLISECONDS = 25_000;

const Output = ChainResult.extend(TransferAnswer.shape);
const Stored = z.object({ transferId: z.string() });

export const bridgeToArc = defineTool({
  name: "bridge_to_arc",
  title: "Bridge USDC to Arc",
  summary: "Move USDC from your wallet on another chain to your treasury wallet on Arc.",
  advice:
    "Answers within 25 seconds how far it is: read_transaction follows it. Burned money arrives later; it cannot be called back. Repeating the call sends again, unless it has the same idempotency key.",
  area: "treasury",
  effect: "spend",
  price: 5_000n,
  payableWithoutKey: false,
  uses: [
    ...(["chain", "usableChains", "messageAttestations", "stores", "clock"] as const),
    ...(["transferWaits", "bridgeFinality"] as const),
  ],
  input: z.strictObject({ fromChain: SourceChain, amount: TokenAmount }),
  output: Output,
  errors: {
    chain_not_available: "This chain cannot be used, or does not answer now. Nothing was done.",
    amount_too_low: "The amount does not exceed the bridge's fee. Nothing was done; send more.",
    insufficient_balance:
      "Your wallet on that chain has too little. Nothing was done; availableUsdc says how much it has.",
    settlement_stopped: sendOutErrors.settlement_stopped,
    transfer_reverted: "The chain refused the burn. No money was moved; it is available again.",
  },
  example: () => ({ fromChain: "Base_Sepolia" as const, amount: "12.50" }),

  plan: ({ fromChain, amount }, { chain: home, stores, bridgeFinality, caller: { tenantId, environment } }) =>
    planOrRefusal(async () => {
      const source = { environment, chain: requireSource(fromChain, home) };
      const wallet = await stores.wallets.findTreasury(source, tenantId);
      const movement = { token: "USDC", from: "treasury", to: "treasury", chain: source.chain } as const;
      return {
        // The wallet gets test money at its first use.
        movements: wallet === undefined ? [] : [{ ...movement, amount: parseDecimal(amount) }],
        irreversible: [final(`the burn on ${fromChain}`)],
        remarks: [
          bridgeFinality === "fast"
            ? `${amount} USDC arrive on Arc, less a fee of a few basis points, usually within a minute.`
            : `${amount} USDC arrive on Arc, without a fee where the bridge takes none, as soon as ${fromChain} is final.`,
        ],
      };
    }),

  async probe(
    { fromChain, amount },
    { chain: home, usableChains, messageAttestations, stores, bridgeFinality, caller },
  ) {
    const { tenantId, environment } = caller;
    const wallet = await stores.wallets.findTreasury({ environment, chain: requireSource(fromChain, home) }, tenantId);
    // A chain is started by its first call, not by a preview.
    if (wallet === undefined) return;
    const [source, target] = await Promise.all([usableChains.open(fromChain), usableChains.open(home.key.chain)]);
    const attestations = messageAttestations.of(environment, source.network);
    const ends = { source, target, attestations, finality: bridgeFinality };
    await readBridgeTerms(ends, parseDecimal(amount) ?? 0n);
  },

  async complete(stored, { chain, stores, clock, caller }) {
    const { transferId } = Stored.parse(stored);
    const transfer = await stores.transfers.find(caller, transferId);
    if (transfer === undefined) throw new Error(`there is no transfer ${transferId}`);
    return { ...describeTransfer(transfer), chainId: chain.chainId, ...chainProvenance(chain, clock) };
  },

  async run(input, ports) {
    const { chain: home, usableChains, stores, clock, transferWaits, caller, call, fail } = ports;
    const { tenantId, environment } = caller;
    requireSource(input.fromChain, home);
    const amount = parseDecimal(input.amount) ?? 0n;
    const [source, target] = await Promise.all([
      usableChains.open(input.fromChain, tenantId),
      usableChains.open(home.key.chain),
    ]);
    const [{ address: from }, { address: recipient }] = await Promise.all([
      stores.wallets.ensure(source.chain.key, "treasury", tenantId),
      stores.wallets.ensure(home.key, "treasury", tenantId),
    ]);
    const asked = { kind: BRIDGE, tenantId, callId: call.id, source, target, amount };
    const started =
      (await findStartedBridge(stores, asked)) ??
      (await startBridge(ports, {
        ...asked,
        from,
        recipient,
        receivedToken: "USDC",
        detail: {},
        terms: await readBridgeTerms(
          {
            source,
            target,
            attestations: ports.messageAttestations.of(environment, source.network),
            finality: ports.bridgeFinality,
          },
          amount,
        ),
      }));
    const read = () => stores.transfers.find({ tenantId, environment }, started.id);
    const isEnough = (found: Transfer | undefined) => found === undefined || hasEnded(found);
    const waited = { id: started.id, read, isEnough, milliseconds: WAIT_MILLISECONDS, signal: call.signal };
    const transfer = (await transferWaits.wait(waited)) ?? started;
    if (transfer.status === "failed") {
      const detail = transfer.waiting ?? "The chain refused the burn. No money was moved; it is available again.";
      throw fail("transfer_reverted", { detail, extra: { transferId: transfer.id } });
    }
    const answer = { ...describeTransfer(transfer), chainId: home.chainId, ...chainProvenance(home, clock) };
    return transfer.callId === call.id || transfer.callId === null ? answer : new Replayed(answer, transfer.callId);
  },
});
