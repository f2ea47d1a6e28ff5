import { findChainById } from "../../../domain/chains/named-chains.ts";
import type { SourceChain } from "../../../domain/chains/source-chain.ts";
import { Failure } from "../../../domain/errors.ts";
import type { Micro } from "../../../domain/money.ts";
import type { TokenSymbol } from "../../../domain/tokens.ts";
import type { PlannedArrival } from "../../../kernel/contracts/call-plan.ts";
import type { Caller, CallInfo } from "../../../kernel/contracts/tool.ts";
import { lacksBalance } from "../../ledger/index.ts";
import { sendOutErrors } from "../../treasury/index.ts";
import type { Ports } from "../context.ts";
import { requireSource } from "../named-source.ts";
import { hasEnded, type Transfer } from "../transfers.ts";
import { type BridgeTerms, readBridgeTerms } from "./bridge-terms.ts";
import { findStartedBridge, startBridge } from "./start-bridge.ts";

/** Errors for tools that send over the bridge. */
export const bridgeErrors = {
  chain_not_available: "This chain cannot be used, or is not answering. Nothing was done.",
  amount_too_low: "The amount does not exceed the bridge's fee. Nothing was done; send more.",
  insufficient_balance:
    "Your wallet on that chain does not have enough. Nothing was done; availableUsdc says how much it has.",
  settlement_stopped: sendOutErrors.settlement_stopped,
  transfer_reverted: "The chain refused the burn. No money was moved; it is available again.",
} as const;

const WAIT_MILLISECONDS = 25_000;

type ReadingPorts = Pick<Ports, "chain" | "usableChains" | "messageAttestations" | "stores" | "bridgeFinality"> & {
  caller: Caller;
};
type BridgePorts = ReadingPorts & Pick<Ports, "clock" | "transferWaits"> & { call: CallInfo };

interface BridgeWish {
  fromChain: SourceChain;
  amount: Micro;
}

interface RunRequest extends BridgeWish {
  kind: string;
  receivedToken: TokenSymbol;
  /** Checks what the kind needs besides and returns what it keeps with the transfer. Asked before anything is stored. */
  prepare?(terms: BridgeTerms): Promise<Transfer["detail"]>;
}

/**
 * Undefined where the tenant has no wallet on a development chain: that is started by its first call, not by a preview. Throws what the
 * call would be refused with; on a live chain a wallet that is not there yet has nothing.
 */
export async function previewBridgeTerms(ports: ReadingPorts, wish: BridgeWish): Promise<BridgeTerms | undefined> {
  const { chain: home, stores, usableChains, caller } = ports;
  const { fromChain, amount } = wish;
  const source = { environment: caller.environment, chain: requireSource(fromChain, home) };
  const wallet = await stores.wallets.findTreasury(source, caller.tenantId);
  if (wallet === undefined && usableChains.testMoneyAt(source.chain) !== undefined) return undefined;
  const terms = await readTerms(ports, await openEnds(ports, fromChain), amount);
  if (wallet === undefined) throw lacksBalance({ token: "USDC", chain: source.chain }, 0n, amount);
  return terms;
}

/** Undefined as `previewBridgeTerms`. */
export async function previewArrival(
  ports: ReadingPorts & Pick<Ports, "clock">,
  wish: BridgeWish,
): Promise<PlannedArrival | undefined> {
  const terms = await previewBridgeTerms(ports, wish);
  if (terms === undefined) return undefined;
  const { maxFee: fee, expectedSeconds: seconds } = terms;
  const expectedBy = ports.clock.now().add({ seconds });
  return { fee, amountReceived: wish.amount - fee, receivedToken: "USDC", expectedBy };
}

/** Throws `insufficient_balance`, as the call would, if the amount is more than a wallet on a development chain gets at its first use. */
export function requireTestMoney(
  usableChains: Pick<Ports["usableChains"], "testMoneyAt">,
  chain: string,
  amount: Micro,
): void {
  const available = usableChains.testMoneyAt(chain);
  if (available !== undefined && amount > available) throw lacksBalance({ token: "USDC", chain }, available, amount);
}

/** Says that a sandbox key moves nothing on the main network that it names. */
export function warnOfMainNetwork({
  environment,
  fromChain,
}: Pick<Transfer, "environment" | "fromChain">): readonly string[] {
  const known = findChainById(Number(fromChain.slice(fromChain.indexOf(":") + 1)));
  if (environment !== "sandbox" || known?.network !== "mainnet") return [];
  const { name } = known;
  return [
    `With a sandbox key, ${name} is a development chain with the id of the main network: test money moves from it to the emulated Arc test network, and nothing on the real ${name}.`,
  ];
}

/** Starts a transfer over the bridge, or finds that of an earlier call with the same key, and waits for it. */
export async function runBridge(ports: BridgePorts, request: RunRequest): Promise<Transfer> {
  const { chain: home, stores, transferWaits, caller, call } = ports;
  const { kind, fromChain, amount, receivedToken, prepare } = request;
  const { tenantId, environment } = caller;
  requireSource(fromChain, home);
  const ends = await openEnds(ports, fromChain, tenantId);
  const asked = { ...ends, kind, tenantId, callId: call.id, amount };
  const started = (await findStartedBridge(stores, asked)) ?? (await start());
  const read = () => stores.transfers.find({ tenantId, environment }, started.id);
  const isEnough = (found: Transfer | undefined) => found === undefined || hasEnded(found);
  const waited = { id: started.id, read, isEnough, milliseconds: WAIT_MILLISECONDS, signal: call.signal };
  return (await transferWaits.wait(waited)) ?? started;

  async function start(): Promise<Transfer> {
    const terms = await readTerms(ports, ends, amount);
    const detail = (await prepare?.(terms)) ?? {};
    const [{ address: from }, { address: recipient }] = await Promise.all([
      stores.wallets.ensure(ends.source.chain.key, "treasury", tenantId),
      stores.wallets.ensure(home.key, "treasury", tenantId),
    ]);
    return await startBridge(ports, { ...asked, from, recipient, receivedToken, detail, terms });
  }
}

/** Throws Failure `transfer_reverted` for a transfer of which nothing has left its chain. */
export function requireMoved(transfer: Transfer): Transfer {
  // The amount that arrives is known from the attestation on.
  if (transfer.status !== "failed" || transfer.received !== null) return transfer;
  throw new Failure("transfer_reverted", {
    detail: transfer.waiting ?? bridgeErrors.transfer_reverted,
    extra: { transferId: transfer.id },
  });
}

async function openEnds({ chain: home, usableChains }: ReadingPorts, fromChain: string, tenantId?: string) {
  const [source, target] = await Promise.all([
    usableChains.open(fromChain, tenantId),
    usableChains.open(home.key.chain),
  ]);
  return { source, target };
}

function readTerms(
  { messageAttestations, bridgeFinality: finality, caller }: ReadingPorts,
  ends: Awaited<ReturnType<typeof openEnds>>,
  amount: Micro,
): Promise<BridgeTerms> {
  const attestations = messageAttestations.of(caller.environment, ends.source.network);
  return readBridgeTerms({ ...ends, attestations, finality }, amount);
}
