import { defineModule } from "../../kernel/module.ts";
import * as ledgerOnChain from "./migrations/0006-ledger-on-chain.ts";
import { createLedger } from "./store.ts";

export const ledgerModule = defineModule({
  name: "ledger",
  needs: ["identity"],
  stores: ({ db, clock }) => ({
    ledger: createLedger(db, clock),
  }),
  migrations: { "0006-ledger-on-chain": ledgerOnChain },
});
