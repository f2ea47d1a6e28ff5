import type { Micro } from "../../../domain/money.ts";
import type { Hex } from "../../../domain/tokens.ts";
import type { PaymentReceipt } from "../../../kernel/contracts/charge.ts";

declare module "../../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "usage.callPayments": CallPayments;
  }
}

/** A signed payment that came with a call. */
interface CallPayment {
  amount: Micro;
  /** It is not settled yet, and may turn out not to be good. */
  isPending: boolean;
  /** Of one that is settled. */
  receipt: PaymentReceipt | undefined;
}

interface SettledRecord {
  callId: string | null;
  status: string;
  settlementId: string | null;
}

/** What charging asks of the module that takes payments. */
export interface CallPayments {
  /** Undefined: none came with the call. */
  find(callId: string): Promise<CallPayment | undefined>;
  /** Those of the calls that came with a payment: they are settled with it. */
  among(callIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Processes that have taken a payment for a call that has not ended. */
  busyProcesses(): Promise<readonly string[]>;
  /** The transactions that paid for these records on the chain, in their order; null: none did. */
  transactionsOf(records: readonly SettledRecord[]): Promise<readonly (Hex | null)[]>;
}
