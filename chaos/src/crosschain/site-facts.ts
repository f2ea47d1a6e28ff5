import { erc20Abi, parseAbi } from "viem";
import { decodeMessage, encodeMessage } from "../../../server/src/adapters/cctp/message.ts";
import { type Hex, type TokenSymbol, tokenSymbols } from "../../../server/src/domain/tokens.ts";
import { lower } from "../chain/chain-view.ts";
import type { Site } from "./sites.ts";

interface Happened {
  hash: Hex;
}

interface Transfer extends Happened {
  token: TokenSymbol;
  from: Hex;
  to: Hex;
  amount: bigint;
}

/** A burn for another chain, or what arrived of one. */
export interface BridgeLeg extends Happened {
  /** The same on both chains: what the message says of the burn. */
  content: string;
  amount: bigint;
  /** The most that a burn allows, or what a mint took. */
  fee: bigint;
  /** Zero in a burn. */
  nonce: Hex;
  message: Hex;
  destination: number;
}

interface GatewayLeg extends Happened {
  specHash: Hex;
  value: bigint;
  fee: bigint;
}

interface Amount extends Happened {
  value: bigint;
}

/** A chain's own events, from its first block on. */
export interface SiteFacts {
  site: Site;
  tip: bigint;
  /** Transactions with any of these events. */
  hashes: ReadonlySet<Hex>;
  supply: Readonly<Record<TokenSymbol, bigint>>;
  transfers: readonly Transfer[];
  burns: readonly BridgeLeg[];
  mints: readonly BridgeLeg[];
  gatewayBurns: readonly GatewayLeg[];
  gatewayMints: readonly GatewayLeg[];
  deposits: readonly Amount[];
  withdrawals: readonly Amount[];
  swaps: readonly (Amount & { quoteId: Hex })[];
}

const events = parseAbi([
  "event Transfer(address indexed from, address indexed to, uint256 value)",
  "event MessageSent(bytes message)",
  "event MessageReceived(address indexed caller, uint32 sourceDomain, bytes32 indexed nonce, bytes32 sender, uint32 indexed finalityThresholdExecuted, bytes messageBody)",
  "event Deposited(address indexed token, address indexed depositor, address indexed sender, uint256 value)",
  "event WithdrawalInitiated(address indexed token, address indexed depositor, uint256 value, uint256 remainingAvailable, uint256 totalWithdrawing, uint256 withdrawalBlock)",
  "event GatewayBurned(address indexed token, address indexed depositor, bytes32 indexed transferSpecHash, uint32 destinationDomain, bytes32 destinationRecipient, address signer, uint256 value, uint256 fee, uint256 fromAvailable, uint256 fromWithdrawing)",
  "event AttestationUsed(address indexed token, address indexed recipient, bytes32 indexed transferSpecHash, uint32 sourceDomain, bytes32 sourceDepositor, bytes32 sourceSigner, uint256 value)",
  "event Swapped(address indexed trader, bytes32 indexed quoteId, address indexed recipient, address tokenIn, uint256 amountIn, uint256 amountOut, uint256 rate, uint256 spreadBps)",
]);

/** The bytes before a message's body that its event does not repeat: version, recipient, caller and finality do not differ here. */
const HEADER_BYTES = 148;

export async function readSiteFacts(site: Site): Promise<SiteFacts> {
  const { client, tokens } = site;
  const tip = await client.getBlockNumber();
  const logs = await client.getLogs({ events, fromBlock: 0n, toBlock: tip, strict: true });
  const facts = {
    transfers: [] as Transfer[],
    burns: [] as BridgeLeg[],
    mints: [] as BridgeLeg[],
    gatewayBurns: [] as GatewayLeg[],
    gatewayMints: [] as GatewayLeg[],
    deposits: [] as Amount[],
    withdrawals: [] as Amount[],
    swaps: [] as (Amount & { quoteId: Hex })[],
  };
  const hashes = new Set<Hex>();
  for (const log of logs) {
    const { transactionHash: hash } = log;
    const at = lower(log.address);
    const token = tokenSymbols.find((symbol) => tokens[symbol] === at);
    hashes.add(hash);
    if (log.eventName === "Transfer" && token !== undefined) {
      const { from, to, value } = log.args;
      facts.transfers.push({ token, from: lower(from), to: lower(to), amount: value, hash });
    } else if (log.eventName === "MessageSent" && at === site.transmitter) {
      facts.burns.push(readBurn(log.args.message, hash));
    } else if (log.eventName === "MessageReceived" && at === site.transmitter) {
      const { sourceDomain, nonce, messageBody } = log.args;
      facts.mints.push(readMint(site, { sourceDomain, nonce, messageBody }, hash));
    } else if (log.eventName === "GatewayBurned" && at === site.gatewayWallet) {
      const { transferSpecHash: specHash, value, fee } = log.args;
      facts.gatewayBurns.push({ specHash, value, fee, hash });
    } else if (log.eventName === "AttestationUsed" && at === site.gatewayMinter) {
      const { transferSpecHash: specHash, value } = log.args;
      facts.gatewayMints.push({ specHash, value, fee: 0n, hash });
    } else if (log.eventName === "Deposited" && at === site.gatewayWallet) {
      facts.deposits.push({ value: log.args.value, hash });
    } else if (log.eventName === "WithdrawalInitiated" && at === site.gatewayWallet) {
      facts.withdrawals.push({ value: log.args.value, hash });
    } else if (log.eventName === "Swapped" && at === site.swapPool) {
      facts.swaps.push({ value: log.args.amountIn, quoteId: log.args.quoteId, hash });
    }
  }
  const readSupply = (token: TokenSymbol) =>
    client.readContract({ address: tokens[token], abi: erc20Abi, functionName: "totalSupply", blockNumber: tip });
  const supply = { USDC: await readSupply("USDC"), EURC: await readSupply("EURC") };
  return { site, tip, hashes, supply, ...facts };
}

function readBurn(message: Hex, hash: Hex): BridgeLeg {
  const { destinationDomain, burn, nonce } = decodeMessage(message);
  const { amount, maxFee: fee } = burn;
  return { content: describeContent(message), amount, fee, nonce, message, destination: destinationDomain, hash };
}

/** The event has the body and the two domains of what was delivered. */
function readMint(
  { domain }: Site,
  { sourceDomain, nonce, messageBody }: { sourceDomain: number; nonce: Hex; messageBody: Hex },
  hash: Hex,
): BridgeLeg {
  const empty = decodeMessage(`0x${"0".repeat(2 * HEADER_BYTES)}${messageBody.slice(2)}`);
  const message = encodeMessage({ ...empty, sourceDomain, destinationDomain: domain, nonce });
  const { amount, feeExecuted: fee } = empty.burn;
  return { content: describeContent(message), amount, fee, nonce, message, destination: domain, hash };
}

/** Without what attesters fill in, and without what the event of a delivery does not say. */
function describeContent(message: Hex): string {
  const { sourceDomain, destinationDomain, burn } = decodeMessage(message);
  const { burnToken, mintRecipient, amount, messageSender, maxFee, hookData } = burn;
  return [sourceDomain, destinationDomain, burnToken, mintRecipient, amount, messageSender, maxFee, hookData].join(" ");
}
