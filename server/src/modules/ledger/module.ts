import type { Micro } from "../../domain/money.ts";
import { type Measured, measured } from "../../kernel/contracts/measured.ts";
import { defineModule } from "./context.ts";
import * as ledgerOnChain from "./migrations/0006-ledger-on-chain.ts";
import * as movementSenders from "./migrations/0065-movement-senders.ts";
import * as ledgerByChain from "./migrations/0114-ledger-by-chain.ts";
import * as gatewayAccounts from "./migrations/0120-gateway-accounts.ts";
import { createLedger, ledgerImbalance } from "./store.ts";

declare module "../../kernel/contracts/parts.ts" {
  interface ModuleParts {
    readonly "ledger.measuredImbalance": Measured<Micro>;
  }
}

/** Reads the whole ledger, so only in long intervals. */
const MEASURE_MILLISECONDS = 60_000;

export const ledgerModule = defineModule({
  name: "ledger",
  stores: ({ db, clock }) => ({
    ledger: createLedger(db, clock),
  }),
  migrations: {
    "0006-ledger-on-chain": ledgerOnChain,
    "0065-movement-senders": movementSenders,
    "0114-ledger-by-chain": ledgerByChain,
    "0120-gateway-accounts": gatewayAccounts,
  },
  indexes: {
    ledger_entry_by_account_newest: "on ledger_entry (account_id, transaction_id desc)",
    ledger_transaction_by_time: "on ledger_transaction (created_at)",
  },
  parts: {
    measuredImbalance: ({ db }) => measured("measure-ledger", MEASURE_MILLISECONDS, () => ledgerImbalance(db)),
  },
  jobs: ({ measuredImbalance }) => [measuredImbalance.job],
  gauges: ({ measuredImbalance }) => [
    {
      name: "wayfare_ledger_imbalance_micro_usdc",
      help: "Sum of all ledger accounts, computed by a job within the last few minutes. Anything but 0 is an error.",
      read() {
        const found = measuredImbalance.latest();
        return found === undefined ? [] : [{ value: Number(found) }];
      },
    },
  ],
});
