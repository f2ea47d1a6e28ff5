import type { Micro } from "../../domain/money.ts";
import type { Hex } from "../../domain/tokens.ts";
import type { PaymentReceipt } from "../../kernel/contracts/charge.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "charging.callPayments": CallPayments;
  }
}

/** A signed payment that came with a call. */
interface CallPayment {
  amount: Micro;
  /** It is not settled yet and may still fail. */
  isPending: boolean;
  /** Set once it is settled. */
  receipt: PaymentReceipt | undefined;
}

interface SettledRecord {
  callId: string | null;
  status: string;
  settlementId: string | null;
}

/** The needs of charging from the module that takes payments. */
export interface CallPayments {
  /** Undefined: the call had no payment. */
  find(callId: string): Promise<CallPayment | undefined>;
  /** The calls that came with a payment and are settled with it. */
  among(callIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Processes with a payment for a call that has not ended. */
  busyProcesses(): Promise<readonly string[]>;
  /** The chain transactions that paid for these records, in order; null: none. */
  listTransactions(records: readonly SettledRecord[]): Promise<readonly (Hex | null)[]>;
}
