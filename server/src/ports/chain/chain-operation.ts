import type { Micro } from "../../domain/money.ts";
import type { Hex, TokenSymbol } from "../../domain/tokens.ts";
import type { Chain, ChainReceipt, TokenMovement } from "./chain.ts";

/**
 * An operation on a chain, as its row stores it: JSON. The members besides `kind` belong to the definition of that kind, which
 * alone reads and writes them.
 */
export interface StoredOperation {
  readonly kind: string;
  readonly [member: string]: unknown;
}

/** The data that a definition gets for a row before anything is signed. */
export interface OperationCall<Input> {
  input: Input;
  /** Derived from the row's id: a signature with it has its effect once, however often it is made and sent. */
  nonce: Hex;
  /** Unix seconds. Derived from the time the row was stored: signatures of our wallets expire then. */
  deadline: bigint;
  site: OperationSite;
}

/** The chain on which an operation is executed. */
export interface OperationSite {
  chain: Chain;
  /** The recipient of commissions and service fees: the collection wallet. */
  feeRecipient: Hex;
  /** Sends the transactions and pays their gas. */
  relayer: Hex;
  /** The accounts that are contracts, whose own code validates their signatures. */
  whichHaveCode(accounts: readonly Hex[]): Promise<ReadonlySet<Hex>>;
}

/** A wallet holder's signed permission that the relayer can send. */
export type Authorization = TokenAuthorization | SignedMessage;

/** An EIP-3009 authorization, which the token accepts once and whose use it reports. Times are Unix seconds. */
export interface TokenAuthorization {
  kind: "token";
  token: TokenSymbol;
  from: Hex;
  to: Hex;
  value: bigint;
  validAfter: bigint;
  validBefore: bigint;
  nonce: Hex;
  /** The message that our wallet signs; undefined: another party has signed it. */
  primaryType: "TransferWithAuthorization" | "ReceiveWithAuthorization" | undefined;
}

/** Any other EIP-712 message, signed by a wallet of ours. */
export interface SignedMessage {
  kind: "message";
  from: Hex;
  typedData: {
    domain: { name: string; version: string; chainId: number; verifyingContract: Hex };
    types: Readonly<Record<string, readonly { name: string; type: string }[]>>;
    primaryType: string;
    message: Readonly<Record<string, unknown>>;
  };
}

/** The relayer's transaction without nonce and gas price. */
export interface EncodedCall {
  to: Hex;
  data: Hex;
  /** A wallet of ours that needs the code of `to` (EIP-7702): the transaction gives it the code if it lacks it. */
  codeFor?: Hex;
  /** In the smallest unit of the chain's native coin; default: none. */
  value?: bigint;
}

export interface GasCeiling {
  /** An upper bound: measured on the development contracts, plus 50 %. */
  gas: bigint;
  /**
   * How the bound limits an estimate; undefined: the estimate alone counts. most: never send more, as third-party code runs in
   * it · least: never send less, as it can need more in its block than when it was estimated.
   */
  bound?: "most" | "least";
}

/** Money that leaves one of our wallets. */
export interface Outgoing {
  from: Hex;
  token: TokenSymbol;
  amount: Micro;
}

/** An event of a contract that shows an operation executed by another transaction than ours. */
export interface OperationEvent {
  address: Hex;
  /** As in `eth_getLogs`; null: any. */
  topics: readonly (Hex | readonly Hex[] | null)[];
  /** Whether this is the event. Default: every event with these topics is. */
  isIt?(log: EventLog): boolean;
  /** The receipt's movements that belong to it, if the transaction did other things as well; default: all. */
  pickMovements?(
    movements: readonly TokenMovement[],
    log: EventLog,
    logs: readonly EventLog[],
  ): readonly TokenMovement[];
}

export interface EventLog {
  address: Hex;
  topics: readonly Hex[];
  data: Hex;
  logIndex: number;
}

/**
 * A kind of operation, as seen by the code that executes and looks up operations of any kind. All methods throw if the stored
 * members are not of this kind, or the chain lacks a required contract.
 */
export interface ChainOperation {
  readonly kind: string;
  /** Whether it waits while money on its chain is stopped; operations that take money out of our wallets always do. */
  readonly waitsWhileStopped: boolean;
  authorize(call: OperationCall<StoredOperation>): Authorization | undefined;
  /** A second message of a wallet of ours; undefined: one signature is enough. */
  countersign(call: OperationCall<StoredOperation>): SignedMessage | undefined;
  /** The signatures are those of the authorization and of the second message, if wallets of ours sign them. */
  encode(call: OperationCall<StoredOperation>, signature: Hex, countersignature: Hex): EncodedCall;
  gasCeiling(call: OperationCall<StoredOperation>): Promise<GasCeiling>;
  /** Undefined: nothing leaves our wallets. */
  outgoing(stored: StoredOperation): Outgoing | undefined;
  /** Whether the operation could have made this movement; another one with the same amounts could as well. */
  isMovedBy(stored: StoredOperation, movement: TokenMovement): boolean;
  /** Whether this transaction had the operation's effect; a successful transaction in a block can have done something else. */
  tookEffect(stored: StoredOperation, receipt: ChainReceipt): boolean;
  /** Undefined: no event shows it. */
  event(call: OperationCall<StoredOperation>): OperationEvent | undefined;
}

/** The kinds of all modules. */
export interface ChainOperations {
  /** Throws if no module has defined its kind. */
  of(stored: StoredOperation): ChainOperation;
}
