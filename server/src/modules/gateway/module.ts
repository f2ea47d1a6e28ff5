import { defineJob } from "../../kernel/contracts/job.ts";
import { createGatewayEvents } from "./books/read-events.ts";
import { createGatewayBooks } from "./books/store-books.ts";
import { defineModule } from "./context.ts";
import * as gateway from "./migrations/0121-gateway.ts";
import * as withdrawals from "./migrations/0124-gateway-withdrawals.ts";
import { deposit } from "./operations/deposit.ts";
import { giveGas } from "./operations/give-gas.ts";
import { mint } from "./operations/mint.ts";
import { gatewayBalance } from "./tools/gateway-balance.ts";
import { gatewayDeposit } from "./tools/gateway-deposit.ts";
import { gatewayWithdraw } from "./tools/gateway-withdraw.ts";
import { carryOutWithdrawals } from "./withdrawals/carry-out.ts";
import { createGatewayGas } from "./withdrawals/require-gas.ts";
import { createGatewayWithdrawals, dueWithdrawals } from "./withdrawals/store-withdrawals.ts";

const READ_MILLISECONDS = 30_000;
/** A node that does not answer must not delay a stop. */
const STOP_WAIT_MILLISECONDS = 1_000;

export const gatewayModule = defineModule({
  name: "gateway",
  tools: [gatewayBalance, gatewayDeposit, gatewayWithdraw],
  stores: ({ db, clock }) => ({
    gatewayBooks: createGatewayBooks(db, clock),
    gatewayWithdrawals: createGatewayWithdrawals(db, clock),
  }),
  migrations: { "0121-gateway": gateway, "0124-gateway-withdrawals": withdrawals },
  workTables: [
    {
      table: "gateway_withdrawal",
      kind: "gateway_withdrawal",
      since: "created_at",
      open: [{ column: "state", in: ["requested", "waiting"] }],
    },
  ],
  personRecords: () => ({
    tables: { notSearched: { gateway_withdrawal: "a tenant's own money on public chains, which names nobody" } },
  }),
  chainOperations: [deposit, mint, giveGas],
  parts: { gatewayEvents: ({ chains, stores, log }) => createGatewayEvents({ chains, stores, log }) },
  ports: ({ gatewayEvents, chains }) => ({ gatewayEvents, gatewayGas: createGatewayGas({ chains }) }),
  jobs: (parts) => [
    defineJob({
      name: "read-gateway",
      everyMilliseconds: READ_MILLISECONDS,
      // The ledger has read blocks.
      queue: { name: "chain_network" },
      stopWaitMilliseconds: STOP_WAIT_MILLISECONDS,
      run: () => parts.gatewayEvents.readAll(),
    }),
    defineJob({
      name: "withdraw-from-gateway",
      queue: dueWithdrawals,
      stopWaitMilliseconds: STOP_WAIT_MILLISECONDS,
      run: () => carryOutWithdrawals(parts),
    }),
  ],
});
