import { Failure } from "../../domain/errors.ts";
import type { Micro } from "../../domain/money.ts";
import type { ByToken, Hex, TokenSymbol } from "../../domain/tokens.ts";
import type { Environment } from "../identity.ts";
import type { AgentRegistries } from "./agent-registries.ts";
import type { BridgeReader } from "./bridge-reader.ts";
import type { ChainKey } from "./chain-key.ts";
import type { CrossChainOnChain } from "./cross-chain-contracts.ts";
import type { EscrowContract, EscrowFacts, EscrowRoles } from "./escrow-contract.ts";
import type { GatewayReader } from "./gateway-reader.ts";
import type { PoolTerms } from "./swap-pool.ts";

/** A token as read from the chain at the start; its EIP-712 domain is derived from it. */
export interface ChainToken {
  symbol: TokenSymbol;
  address: Hex;
  /** EIP-712 name and version. */
  name: string;
  version: string;
}

export interface ChainBlock {
  number: bigint;
  hash: Hex;
}

interface TimedBlock extends ChainBlock {
  /** As its header says. */
  at: Temporal.Instant;
}

/** A `Transfer` event of one of the service's tokens. */
export interface TokenMovement {
  token: TokenSymbol;
  from: Hex;
  to: Hex;
  amount: Micro;
  /** For the chain's native coin: the part of the amount below the token's smallest unit. */
  dust?: bigint;
  transactionHash: Hex;
  logIndex: number;
  blockNumber: bigint;
}

export interface ChainReceipt {
  hash: Hex;
  block: ChainBlock;
  succeeded: boolean;
  /** A transaction to its own sender that only uses up an abandoned nonce. */
  isEmpty: boolean;
  movements: readonly TokenMovement[];
}

/**
 * Reads one chain. Addresses are in lower case. Everything rejects with Failure `chain_unavailable` (retryable) if the chain
 * cannot be reached or does not answer in time.
 */
export interface Chain {
  readonly key: ChainKey;
  readonly environment: Environment;
  readonly chainId: number;
  /** Distinguishes chains with the same chain id. */
  readonly genesisHash: Hex;
  /** The number of blocks, including the transaction's own, after which it counts as confirmed. */
  readonly confirmations: number;
  readonly tokens: ByToken<ChainToken>;
  /** The token that pays for gas on this chain: its movements are those of the native coin. Undefined: none of ours. */
  readonly nativeToken: TokenSymbol | undefined;
  /** The settlement splitter, the faucet and the payment batch contract; undefined: this chain has none that we may use. */
  readonly splitter: Hex | undefined;
  readonly faucet: Hex | undefined;
  readonly paymentBatch: Hex | undefined;
  readonly escrow: EscrowContract | undefined;
  /** A further escrow, which was probed before. */
  escrowAt(facts: EscrowFacts): EscrowContract;
  /** Throws Failure `conflict`, with the reason, for an address that is no escrow of this chain's USDC with these roles. */
  probeEscrow(address: Hex, roles: EscrowRoles): Promise<Pick<EscrowFacts, "graceSeconds" | "returnsToTrip">>;
  readonly agentRegistries: AgentRegistries | undefined;
  /** On a development chain they are there once `usableChains.open` has opened it. */
  readonly crossChain: CrossChainOnChain;
  readonly gateway: GatewayReader;
  readonly bridge: BridgeReader;
  /** The latest confirmed block. */
  head(): Promise<ChainBlock>;
  /** Undefined: there is no such block (any more). */
  block(number: bigint): Promise<TimedBlock | undefined>;
  /** Balances of a token at that block, in the order of the addresses. */
  balances(token: TokenSymbol, owners: readonly Hex[], atBlock: bigint): Promise<readonly Micro[]>;
  /** Every movement of our tokens in these blocks (inclusive), in the order of the chain. */
  movements(fromBlock: bigint, toBlock: bigint): Promise<readonly TokenMovement[]>;
  /** The change that a movement with dust makes to the balance of its sender or receiver. */
  changeWithDust(movement: TokenMovement, owner: Hex): Promise<Micro>;
  /** Undefined: not mined, or not confirmed yet. */
  receipt(hash: Hex): Promise<ChainReceipt | undefined>;
  /** Whether the token's issuer blocks this address. */
  isBlocked(token: TokenSymbol, address: Hex): Promise<boolean>;
  /** Seconds until the faucet gives this address this token again; 0: now. */
  faucetWaitSeconds(token: TokenSymbol, to: Hex): Promise<number>;
  /** The terms of the swap pool at this address, at the latest block. */
  swapTerms(pool: Hex): Promise<PoolTerms>;
}

/** Throws `chain_not_available` if the chain lacks the token. */
export function requireToken({ tokens }: Pick<Chain, "tokens">, symbol: TokenSymbol): ChainToken {
  const token = tokens[symbol];
  if (token !== undefined) return token;
  throw new Failure("chain_not_available", {
    detail: `This network has no ${symbol}. Nothing was done. Use USDC, or a sandbox key.`,
  });
}
