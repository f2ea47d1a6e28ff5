import { defineModule } from "../../kernel/module.ts";
import * as ledgerOnChain from "./migrations/0006-ledger-on-chain.ts";
import { createLedger, ledgerImbalance } from "./store.ts";

export const ledgerModule = defineModule({
  name: "ledger",
  needs: ["identity"],
  stores: ({ db, clock }) => ({
    ledger: createLedger(db, clock),
  }),
  migrations: { "0006-ledger-on-chain": ledgerOnChain },
  gauges: ({ db }) => [
    {
      name: "wayfare_ledger_imbalance_micro_usdc",
      help: "Sum over all ledger accounts. Anything but 0 is an error.",
      read: async () => [{ value: Number(await ledgerImbalance(db)) }],
    },
  ],
});
