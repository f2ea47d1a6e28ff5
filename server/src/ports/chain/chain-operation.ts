import type { Micro } from "../../domain/money.ts";
import type { Hex, TokenSymbol } from "../../domain/tokens.ts";
import type { Chain, ChainReceipt, TokenMovement } from "./chain.ts";

/**
 * What is to happen on a chain, as its row stores it: JSON. What the other members are depends on the kind, and only the definition
 * of that kind reads and writes them.
 */
export interface StoredOperation {
  readonly kind: string;
  readonly [member: string]: unknown;
}

/** What a definition is given for one row, before anything is signed. */
export interface OperationCall<Input> {
  input: Input;
  /** Follows from the row's id: whatever is signed with it has its effect once, however often it is signed and sent. */
  nonce: Hex;
  /** Unix seconds. Follows from when the row was stored: what our wallets sign is worth nothing after it. */
  deadline: bigint;
  site: OperationSite;
}

/** The chain that an operation is carried out on. */
export interface OperationSite {
  chain: Chain;
  /** Where commissions and service fees go: the collection wallet. */
  feeRecipient: Hex;
  /** Who sends the transactions and pays their gas. */
  relayer: Hex;
  /** Those of the accounts that are contracts, whose own code decides on their signatures. */
  whichHaveCode(accounts: readonly Hex[]): Promise<ReadonlySet<Hex>>;
}

/** What the holder of a wallet allows by a signature, so that the relayer can send it. */
export type Authorization = TokenAuthorization | SignedMessage;

/** An authorization of EIP-3009, which the token takes once and says of whether it was used. Times are Unix seconds. */
export interface TokenAuthorization {
  kind: "token";
  token: TokenSymbol;
  from: Hex;
  to: Hex;
  value: bigint;
  validAfter: bigint;
  validBefore: bigint;
  nonce: Hex;
  /** Which message our wallet signs; undefined: somebody else has signed it. */
  primaryType: "TransferWithAuthorization" | "ReceiveWithAuthorization" | undefined;
}

/** Any other message of EIP-712, signed by a wallet of ours. */
interface SignedMessage {
  kind: "message";
  from: Hex;
  typedData: {
    domain: { name: string; version: string; chainId: number; verifyingContract: Hex };
    types: Readonly<Record<string, readonly { name: string; type: string }[]>>;
    primaryType: string;
    message: Readonly<Record<string, unknown>>;
  };
}

/** What the relayer sends, but for its nonce and the price of gas. */
export interface EncodedCall {
  to: Hex;
  data: Hex;
}

export interface GasCeiling {
  /** More than it can need: measured on the development contracts, and half as much again. */
  gas: bigint;
  /**
   * What it means where gas is estimated; undefined: the estimate alone counts. most: no more is sent, as code of somebody else
   * runs in it · least: no less is sent, as it can need more in its block than when it was estimated.
   */
  bound?: "most" | "least";
}

/** Money that leaves one of our wallets. */
export interface Outgoing {
  from: Hex;
  token: TokenSymbol;
  amount: Micro;
}

/** An event of a contract by which an operation is found that was carried out by another transaction than ours. */
export interface OperationEvent {
  address: Hex;
  /** As `eth_getLogs` takes them; null: any. */
  topics: readonly (Hex | readonly Hex[] | null)[];
  /** Whether this is the one. Left out: every event that the topics fit. */
  isIt?(log: EventLog): boolean;
  /** Those of the receipt's movements that belong to it, when the transaction did other things besides; left out: all. */
  movementsOf?(movements: readonly TokenMovement[], log: EventLog, logs: readonly EventLog[]): readonly TokenMovement[];
}

export interface EventLog {
  address: Hex;
  topics: readonly Hex[];
  data: Hex;
  logIndex: number;
}

/**
 * A kind of operation, for those who carry out and look up operations of any kind. Everything throws when the stored members are
 * not what the kind stores, or when the chain lacks a contract that is needed.
 */
export interface ChainOperation {
  readonly kind: string;
  /** Whether it waits while money stands still on its chain; what takes money out of a wallet of ours always does. */
  readonly waitsWhileStopped: boolean;
  authorize(call: OperationCall<StoredOperation>): Authorization | undefined;
  /** `signature` is that of the authorization, if a wallet of ours signs it. */
  encode(call: OperationCall<StoredOperation>, signature: Hex): EncodedCall;
  gasCeiling(call: OperationCall<StoredOperation>): Promise<GasCeiling>;
  /** Undefined: nothing leaves a wallet of ours. */
  outgoing(stored: StoredOperation): Outgoing | undefined;
  /** Whether it is what the operation moves; so can another one be that moves the same. */
  isMovedBy(stored: StoredOperation, movement: TokenMovement): boolean;
  /** Whether it did what it was for in this transaction; that can be in a block and successful, and yet something else. */
  tookEffect(stored: StoredOperation, receipt: ChainReceipt): boolean;
  /** Undefined: no event says so. */
  event(call: OperationCall<StoredOperation>): OperationEvent | undefined;
}

/** The kinds of all modules. */
export interface ChainOperations {
  /** Throws when no module has defined its kind. */
  of(stored: StoredOperation): ChainOperation;
}
