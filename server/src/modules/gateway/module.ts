import { nameChain } from "../../domain/chains/named-chains.ts";
import { formatDecimal } from "../../domain/money.ts";
import { defineJob } from "../../kernel/contracts/job.ts";
import { TransferWorker, transferEnding } from "../cross-chain/index.ts";
import { createGatewayEvents } from "./books/read-events.ts";
import { createGatewayBooks } from "./books/store-books.ts";
import { defineModule } from "./context.ts";
import * as gateway from "./migrations/0121-gateway.ts";
import * as withdrawals from "./migrations/0124-gateway-withdrawals.ts";
import * as intents from "./migrations/0126-gateway-intents.ts";
import { deposit } from "./operations/deposit.ts";
import { gasGift } from "./operations/gas-gift.ts";
import { mint } from "./operations/mint.ts";
import { gatewayBalance } from "./tools/gateway-balance.ts";
import { gatewayDeposit } from "./tools/gateway-deposit.ts";
import { gatewayTransfer } from "./tools/gateway-transfer.ts";
import { gatewayWithdraw } from "./tools/gateway-withdraw.ts";
import { createGatewayIntents } from "./transfers/store-intents.ts";
import { DEPOSIT_PURPOSE, gatewayKind, MINT_PURPOSE } from "./transfers/transfer-kind.ts";
import { carryOutWithdrawals } from "./withdrawals/carry-out.ts";
import { createGatewayGas } from "./withdrawals/require-gas.ts";
import { createGatewayWithdrawals, dueWithdrawals } from "./withdrawals/store-withdrawals.ts";

declare module "../../kernel/contracts/parts.ts" {
  interface ModuleParts {
    readonly "gateway.gatewayWorker": TransferWorker;
  }
}

const READ_MILLISECONDS = 30_000;
/** A node that does not answer must not delay a stop. */
const STOP_WAIT_MILLISECONDS = 1_000;

export const gatewayModule = defineModule({
  name: "gateway",
  tools: [gatewayBalance, gatewayTransfer, gatewayDeposit, gatewayWithdraw],
  stores: ({ db, clock }) => ({
    gatewayBooks: createGatewayBooks(db, clock),
    gatewayIntents: createGatewayIntents(db, clock),
    gatewayWithdrawals: createGatewayWithdrawals(db, clock),
  }),
  migrations: { "0121-gateway": gateway, "0124-gateway-withdrawals": withdrawals, "0126-gateway-intents": intents },
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
  chainOperations: [deposit, mint, gasGift],
  chainEndings: { [DEPOSIT_PURPOSE]: transferEnding(deposit), [MINT_PURPOSE]: transferEnding(mint) },
  parts: {
    gatewayEvents: ({ chains, chainOpener, stores, log }) =>
      createGatewayEvents({ chains, open: (key) => chainOpener.open(key), stores, log }),
    gatewayWorker: (parts) => new TransferWorker(gatewayKind(parts), parts),
  },
  ports: ({ gatewayEvents, chains, stores }) => ({
    gatewayEvents,
    gatewayGas: createGatewayGas({ chains }),
    openWithdrawals: {
      list: async (owner) =>
        (await stores.gatewayWithdrawals.listOpen(owner)).map(({ id, chain, amount, withdrawalBlock }) => ({
          withdrawalId: id,
          chain: nameChain(chain),
          amount: formatDecimal(amount),
          withdrawableAtBlock: withdrawalBlock?.toString() ?? null,
        })),
    },
  }),
  jobs: (parts) => [
    parts.gatewayWorker.job,
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
  stop: ({ gatewayWorker }) => gatewayWorker.stop(),
});
