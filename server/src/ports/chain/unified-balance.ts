import type { BridgeNetwork } from "../../domain/chains/named-chains.ts";
import type { Micro } from "../../domain/money.ts";
import type { Hex } from "../../domain/tokens.ts";
import type { Environment } from "../identity.ts";
import type { MessageToSign } from "./chain-sender.ts";

/** The terms of a transfer for both ends. Contracts, tokens and accounts are padded to 32 bytes. */
export interface TransferSpec {
  sourceDomain: number;
  destinationDomain: number;
  sourceContract: Hex;
  destinationContract: Hex;
  sourceToken: Hex;
  destinationToken: Hex;
  sourceDepositor: Hex;
  destinationRecipient: Hex;
  sourceSigner: Hex;
  /** Zero: anybody may mint. */
  destinationCaller: Hex;
  /** In the token's units, without the fee. */
  value: bigint;
  /** 32 bytes that no other transfer with the same terms has. */
  salt: Hex;
  hookData: Hex;
}

/** Signed by a depositor. The fee comes on top of the value, up to `maxFee`. */
export interface BurnIntent {
  /** The last block of the source chain in which it may be burned. */
  maxBlockHeight: bigint;
  maxFee: bigint;
  spec: TransferSpec;
}

interface UnifiedDomain {
  domain: number;
  walletContract: Hex | undefined;
  minterContract: Hex | undefined;
  /** The last block that balances include. */
  processedHeight: bigint | undefined;
}

/** Minted by delivering both to the minter of the destination. */
interface UnifiedTransfer {
  transferId: string;
  attestation: Hex;
  signature: Hex;
  fee: Micro;
  /** The last block of the destination in which it can be minted. */
  expirationBlock: bigint | undefined;
}

type UnifiedTransferStatus = "pending" | "confirmed" | "finalized" | "failed" | "expired";

/** The operator refuses the intent; nothing was reserved. */
export class TransferRefused extends Error {
  override name = "TransferRefused";
}

/**
 * Deposits on several chains, spent as one balance. Rejects with the failure `unavailable` when it gives no clear answer. After that the
 * same intent is sent again, never another one: both chains use its terms once.
 */
export interface UnifiedBalance {
  readDomains(): Promise<readonly UnifiedDomain[]>;
  /** The USDC that the depositor can spend on each of the domains. */
  readBalances(depositor: Hex, domains: readonly number[]): Promise<ReadonlyMap<number, Micro>>;
  estimateFee(spec: TransferSpec): Promise<Micro>;
  /** Rejects with TransferRefused. */
  transfer(intent: BurnIntent, signature: Hex): Promise<UnifiedTransfer>;
  /** The id of a transfer, on both chains. */
  hashTerms(spec: TransferSpec): Hex;
  /** The message of which the depositor's wallet gives the signature. */
  messageToSign(intent: BurnIntent): MessageToSign;
  /** Whether the operator knows a transfer by the hash of its terms. */
  isKnown(specHash: Hex): Promise<boolean>;
  /** Undefined: the operator does not know it. */
  findStatus(transferId: string): Promise<UnifiedTransferStatus | undefined>;
}

/** The Gateways of the service's chains. */
export interface UnifiedBalanceByNetwork {
  /** Undefined: there is none. */
  of(environment: Environment, network: BridgeNetwork): UnifiedBalance | undefined;
}
