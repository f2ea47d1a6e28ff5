import type { Micro } from "../../domain/money.ts";
import type { Hex } from "../../domain/tokens.ts";

/** USDC of a depositor in a wallet contract of the Gateway. */
interface GatewayDeposit {
  /** Includes what the operator has attested and not burned yet. */
  available: Micro;
  withdrawing: Micro;
  /** The block from which `withdrawing` can be taken out. */
  withdrawalBlock: bigint;
}

interface GatewayEventPlace {
  depositor: Hex;
  transactionHash: Hex;
  logIndex: number;
  blockNumber: bigint;
}

/** Everything that changes a depositor's USDC in the wallet contract. */
export type GatewayEvent = GatewayEventPlace &
  (
    | { kind: "deposited"; sender: Hex; value: Micro }
    | { kind: "withdrawal_initiated" | "withdrawal_completed"; value: Micro }
    /** Burned by the operator. Its fee, and what it took from either balance, are part of the event. */
    | { kind: "burned"; specHash: Hex; value: Micro; fee: Micro; fromAvailable: Micro; fromWithdrawing: Micro }
  );

/** Reads the Gateway's contracts on a chain. Rejects like the reads of `Chain`. */
export interface GatewayReader {
  /** In the order of the depositors. */
  deposits(wallet: Hex, depositors: readonly Hex[], atBlock: bigint): Promise<readonly GatewayDeposit[]>;
  /** In blocks, and about how long one takes. */
  withdrawalDelay(wallet: Hex): Promise<{ blocks: bigint; secondsPerBlock: number }>;
  /** In these blocks (inclusive), in the order of the chain. */
  events(wallet: Hex, fromBlock: bigint, toBlock: bigint): Promise<readonly GatewayEvent[]>;
  hasCode(address: Hex): Promise<boolean>;
  /** Whether the wallet contract has burned a transfer, or the minter has minted it. */
  isDone(contract: Hex, specHash: Hex): Promise<boolean>;
}
