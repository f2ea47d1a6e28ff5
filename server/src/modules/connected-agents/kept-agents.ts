import type { AuthorizationRows, ConnectedAgents, NewConnection } from "../../ports/connected-agents.ts";
import type { Identity, Principal } from "../../ports/identity.ts";
import type { Connection } from "./connections.ts";
import type { Stores } from "./context.ts";

/** Programs keep a connection for each machine. */
const MOST_CONNECTIONS = 50;
const ENVIRONMENTS = ["sandbox", "production"] as const;
/** The service ends a connection when it sees that somebody has stolen one of its tokens. */
const BY_ITSELF = "job:authorization";

interface AgentParts {
  stores: Stores;
  identity: Pick<Identity, "findPrincipal" | "revokeKey">;
  fetchMetadata: ConnectedAgents["fetchMetadata"];
}

/** Agents that people have connected. Each acts with a key of its person, so that the person's roles and limits bind it. */
export class KeptAgents implements ConnectedAgents {
  readonly #stores: Stores;
  readonly #identity: AgentParts["identity"];
  readonly fetchMetadata: ConnectedAgents["fetchMetadata"];
  readonly rows: AuthorizationRows;

  constructor({ stores, identity, fetchMetadata }: AgentParts) {
    this.#stores = stores;
    this.#identity = identity;
    this.fetchMetadata = fetchMetadata;
    this.rows = {
      ...stores.authorizationRows,
      endGrant: async (grantId) => {
        const keyId = await stores.authorizationRows.keyOfGrant(grantId);
        if (keyId !== undefined) await this.end(keyId, BY_ITSELF);
      },
    };
  }

  async allow({ member, client, resource, scopes, limits, expiresAt }: NewConnection): Promise<string | undefined> {
    const { tenantId, environment, personId } = member;
    const owner = { tenantId, environment };
    return await this.#stores.transaction(async ({ persons, connections, spendLimits }) => {
      if ((await connections.count(member)) >= MOST_CONNECTIONS) return undefined;
      const grant = { personId, name: client.name, scopes, expiresAt };
      const keyId = await persons.keyOfGrant(owner, grant, personId);
      if (keyId === undefined) return undefined;
      if (limits.perCall !== undefined || limits.perDay !== undefined) {
        for (const one of ENVIRONMENTS) await spendLimits.set(tenantId, one, keyId, limits, personId);
      }
      const about = { clientId: client.id, clientName: client.name, clientHost: client.host };
      await connections.insert({ ...owner, personId, keyId, ...about, resource });
      return keyId;
    });
  }

  async findPrincipal(token: string, resource: string, options: { fresh: boolean }): Promise<Principal | undefined> {
    const { connections } = this.#stores;
    const connection = await connections.ofToken(token, resource);
    if (connection === undefined) return undefined;
    const { keyId, personId, environment } = connection;
    const principal = await this.#identity.findPrincipal(keyId, options);
    // A key that works in the sandbox only, for example, must not act for a member of production.
    if (principal?.personId !== personId || principal.environment !== environment) return undefined;
    await connections.sawConnection(connection);
    return principal;
  }

  /** Ends the connection and its key, at once. Undefined: it has ended already. */
  async end(keyId: string, actor: string): Promise<Connection | undefined> {
    const ended = await this.#stores.connections.end(keyId);
    if (ended !== undefined) await this.#identity.revokeKey(ended.tenantId, keyId, actor);
    return ended;
  }
}
