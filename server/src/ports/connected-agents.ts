import type { Environment, Principal } from "./identity.ts";

/** The person who lets an agent act for them. */
export interface GrantingMember {
  readonly tenantId: string;
  readonly environment: Environment;
  readonly personId: string;
}

/** The permission that a person gives an agent on the consent page. */
export interface NewConnection {
  readonly member: GrantingMember;
  readonly client: {
    readonly id: string;
    /** As it names itself. */
    readonly name: string;
    /** The host that vouches for the name. Undefined: nobody does. */
    readonly host: string | undefined;
  };
  /** The MCP endpoint that the agent asked for. */
  readonly resource: string;
  readonly scopes: readonly string[];
  /** In micro-USDC. Undefined: no such limit. */
  readonly limits: { readonly perCall: bigint | undefined; readonly perDay: bigint | undefined };
  readonly expiresAt: Temporal.Instant;
}

/** A row of the authorization server: a code, a token, an interaction. It is found by its id, which is a secret. */
interface AuthorizationRow {
  readonly model: string;
  readonly id: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly expiresAt: Temporal.Instant;
}

/** The storage of the authorization server. Ids are stored as hashes, and what the rows say is encrypted. */
export interface AuthorizationRows {
  put(row: AuthorizationRow): Promise<void>;
  /** Undefined: there is none, it has expired, or its connection has ended. */
  find(model: string, id: string): Promise<Readonly<Record<string, unknown>> | undefined>;
  /** Marks it as used. False: it was used before, or is gone. */
  consume(model: string, id: string): Promise<boolean>;
  destroy(model: string, id: string): Promise<void>;
  /** Ends the connection that the grant with this id belongs to, with all its tokens. */
  endGrant(grantId: string): Promise<void>;
  /** Programs that registered themselves, whose ids are public. */
  putClient(id: string, metadata: Readonly<Record<string, unknown>>): Promise<void>;
  findClient(id: string): Promise<Readonly<Record<string, unknown>> | undefined>;
  /** False: too many programs have registered. Forgets those that nobody connected. */
  hasRoomForClient(): Promise<boolean>;
}

/** Agents that people have connected, as the surfaces use them. */
export interface ConnectedAgents {
  readonly rows: AuthorizationRows;
  /** The id of the key that the agent will act with. Undefined: the person is gone, or has too many connections. */
  allow(connection: NewConnection): Promise<string | undefined>;
  /** The principal of an access token at this endpoint. Undefined: unknown, expired, ended, or for another endpoint. */
  findPrincipal(token: string, resource: string, options: { fresh: boolean }): Promise<Principal | undefined>;
  /** Fetches a client's metadata from the address that is its id, through the guard of the operator's network. */
  fetchMetadata(url: string): Promise<Uint8Array>;
}
