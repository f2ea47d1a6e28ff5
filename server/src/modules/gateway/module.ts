import { defineJob } from "../../kernel/contracts/job.ts";
import { createGatewayEvents } from "./books/read-events.ts";
import { createGatewayBooks } from "./books/store-books.ts";
import { defineModule } from "./context.ts";
import * as gateway from "./migrations/0121-gateway.ts";
import { deposit } from "./operations/deposit.ts";
import { mint } from "./operations/mint.ts";

const READ_MILLISECONDS = 30_000;
/** A node that does not answer must not delay a stop. */
const STOP_WAIT_MILLISECONDS = 1_000;

export const gatewayModule = defineModule({
  name: "gateway",
  stores: ({ db, clock }) => ({ gatewayBooks: createGatewayBooks(db, clock) }),
  migrations: { "0121-gateway": gateway },
  chainOperations: [deposit, mint],
  parts: { gatewayEvents: ({ chains, stores, log }) => createGatewayEvents({ chains, stores, log }) },
  ports: ({ gatewayEvents }) => ({ gatewayEvents }),
  jobs: ({ gatewayEvents }) => [
    defineJob({
      name: "read-gateway",
      everyMilliseconds: READ_MILLISECONDS,
      // The ledger has read blocks.
      queue: { name: "chain_network" },
      stopWaitMilliseconds: STOP_WAIT_MILLISECONDS,
      run: () => gatewayEvents.readAll(),
    }),
  ],
});
