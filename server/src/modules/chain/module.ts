import { defineModule } from "../../kernel/module.ts";
import * as chain from "./migrations/0005-chain.ts";
import * as chainRequests from "./migrations/0007-chain-requests.ts";
import { createChainNetworks } from "./store-networks.ts";
import { createChainTransactions } from "./store-transactions.ts";

export const chainModule = defineModule({
  name: "chain",
  needs: ["identity", "ledger"],
  stores: ({ db, clock }) => ({
    chainNetworks: createChainNetworks(db, clock),
    chainTransactions: createChainTransactions(db, clock),
  }),
  migrations: { "0005-chain": chain, "0007-chain-requests": chainRequests },
});
