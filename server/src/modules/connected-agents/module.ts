import { defineJob } from "../../kernel/contracts/job.ts";
import { defineModule } from "./context.ts";
import { createMetadataFetch } from "./fetch-metadata.ts";
import { KeptAgents } from "./kept-agents.ts";
import * as connectedAgents from "./migrations/0170-connected-agents.ts";
import { connectedAgentRoutes } from "./routes.ts";
import { createConnections } from "./store-connections.ts";
import { createAuthorizationRows } from "./store-rows.ts";

declare module "../../kernel/contracts/parts.ts" {
  interface ModuleParts {
    readonly "connected-agents.connectedAgents": KeptAgents;
    readonly "connected-agents.fetchMetadata": (url: string) => Promise<Uint8Array>;
  }
}

const PRUNE_MILLISECONDS = 600_000;

/** Agents that people connect by OAuth, without a key that anybody copies. */
export const connectedAgentsModule = defineModule({
  name: "connected-agents",
  routes: connectedAgentRoutes,
  migrations: { "0170-connected-agents": connectedAgents },
  stores: ({ db, clock, vault }) => ({
    connections: createConnections(db, clock),
    authorizationRows: createAuthorizationRows(db, { clock, vault }),
  }),
  personRecords: () => ({
    tables: { notSearched: { connected_agent: "it names a program, and ends with the person" } },
  }),
  parts: {
    fetchMetadata: () => createMetadataFetch(),
    connectedAgents: ({ stores, identity, fetchMetadata }) => new KeptAgents({ stores, identity, fetchMetadata }),
  },
  jobs: ({ stores }) => [
    defineJob({
      name: "prune-authorizations",
      everyMilliseconds: PRUNE_MILLISECONDS,
      run: () => stores.authorizationRows.prune(),
    }),
  ],
});
