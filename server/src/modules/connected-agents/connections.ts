import type { AuthorizationRows, GrantingMember } from "../../ports/connected-agents.ts";
import type { Environment } from "../../ports/identity.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "connected-agents.connections": Connections;
    "connected-agents.authorizationRows": StoredRows;
  }
}

/** An agent that a person has connected. */
export interface Connection extends GrantingMember {
  readonly id: string;
  /** The key that it acts with. */
  readonly keyId: string;
  readonly clientId: string;
  readonly clientName: string;
  readonly clientHost: string | undefined;
  readonly resource: string;
  readonly createdAt: Temporal.Instant;
  readonly seenAt: Temporal.Instant | undefined;
}

/** A connection as its key has it now. */
export interface ShownConnection extends Connection {
  readonly personName: string;
  readonly scopes: readonly string[];
  readonly expiresAt: Temporal.Instant | undefined;
}

type NewConnection = Omit<Connection, "id" | "createdAt" | "seenAt">;

export interface Connections {
  insert(connection: NewConnection): Promise<void>;
  /** Those that have not ended. */
  count(member: GrantingMember): Promise<number>;
  /** Those that have not ended, newest first. `personId` undefined: of every person. */
  list(owner: Owner & { personId: string | undefined }): Promise<readonly ShownConnection[]>;
  /** The one that has not ended. */
  find(owner: Owner, id: string): Promise<Connection | undefined>;
  /** Ends it with its tokens. False: it has ended already. */
  end(keyId: string): Promise<Connection | undefined>;
  /** The one whose access token this is, for the endpoint, while neither has ended. */
  ofToken(token: string, resource: string): Promise<Connection | undefined>;
  sawConnection(connection: Pick<Connection, "id" | "seenAt">): Promise<void>;
}

interface Owner {
  readonly tenantId: string;
  readonly environment: Environment;
}

/** The rows, with the connections that they belong to. */
export interface StoredRows extends Omit<AuthorizationRows, "endGrant"> {
  /** The key of the connection that the grant belongs to. */
  keyOfGrant(grantId: string): Promise<string | undefined>;
  /** Deletes what has expired. */
  prune(): Promise<void>;
}
