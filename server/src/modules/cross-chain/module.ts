import { RowWaits } from "../../platform/leased-queue/row-waits.ts";
import { bridgeKind } from "./bridge/bridge-kind.ts";
import { BURN_PURPOSE, MINT_PURPOSE } from "./bridge/bridge-legs.ts";
import type { BridgeFinality } from "./bridge/bridge-terms.ts";
import { burn } from "./bridge/burn-operation.ts";
import { mintBurned } from "./bridge/mint-operation.ts";
import { defineModule } from "./context.ts";
import { describeTransfer } from "./describe-transfer.ts";
import * as crossChainTransfers from "./migrations/0122-cross-chain-transfers.ts";
import * as transfersAreTold from "./migrations/0148-transfers-are-told.ts";
import { createTransfers } from "./store.ts";
import { transferEvents } from "./tenant-events.ts";
import { bridgeToArc } from "./tools/bridge-to-arc.ts";
import { transferEnding } from "./transfer-ending.ts";
import { TransferWorker } from "./transfer-worker.ts";

declare module "../../kernel/contracts/parts.ts" {
  interface ModuleParts {
    readonly "cross-chain.bridgeWorker": TransferWorker;
    readonly "cross-chain.transferWaits": RowWaits;
  }
  interface ModuleSettings {
    readonly "cross-chain.bridgeFinality": BridgeFinality;
  }
}

declare module "../../kernel/contracts/tool.ts" {
  interface ModulePorts {
    "cross-chain.transferWaits": RowWaits;
    "cross-chain.bridgeFinality": BridgeFinality;
  }
}

const MOST_SHOWN = 50;

export const crossChainModule = defineModule({
  name: "cross-chain",
  tools: [bridgeToArc],
  chainOperations: [burn, mintBurned],
  chainEndings: { [BURN_PURPOSE]: transferEnding(burn), [MINT_PURPOSE]: transferEnding(mintBurned) },
  stores: ({ db, clock }) => ({ transfers: createTransfers(db, clock) }),
  migrations: { "0122-cross-chain-transfers": crossChainTransfers, "0148-transfers-are-told": transfersAreTold },
  tenantEvents: transferEvents,
  workTables: [
    {
      table: "cross_chain_transfer",
      kind: "cross_chain_transfer",
      since: "created_at",
      open: [{ column: "status", in: ["submitted", "burned", "attested", "minted"] }],
    },
  ],
  personRecords: () => ({
    tables: { notSearched: { cross_chain_transfer: "a tenant's own money on public chains, which names nobody" } },
  }),
  parts: {
    bridgeWorker: (parts) => new TransferWorker(bridgeKind(parts), parts),
    transferWaits: ({ news }) => new RowWaits(news, "transfer_ended"),
  },
  ports: ({ stores, transferWaits, settings }) => ({
    transferWaits,
    bridgeFinality: settings.bridgeFinality,
    transfersOverChains: {
      async find(owner, transferId) {
        const found = await stores.transfers.find(owner, transferId);
        return found && describeTransfer(found);
      },
      listOpen: async (owner) => (await stores.transfers.listOpen(owner, MOST_SHOWN)).map(describeTransfer),
    },
  }),
  jobs: ({ bridgeWorker }) => [bridgeWorker.job],
  stop: ({ bridgeWorker }) => bridgeWorker.stop(),
});
