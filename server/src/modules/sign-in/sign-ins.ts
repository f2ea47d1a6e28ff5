import type { Environment } from "../../ports/identity.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "sign-in.signIns": SignIns;
  }
}

/** A person of a tenant. */
export interface MemberId {
  readonly tenantId: string;
  readonly environment: Environment;
  readonly personId: string;
}

interface CodeRecord {
  readonly id: string;
  readonly email: string;
  readonly codeHash: string;
}

interface NewCode extends Omit<CodeRecord, "id"> {
  /** The hash of the secret that only the asking browser has. */
  readonly visitHash: string;
  readonly expiresAt: Temporal.Instant;
}

export interface LinkRecord extends MemberId {
  readonly id: string;
  readonly kind: "sign_in" | "invitation";
  /** False: whoever made the link has seen it, and so it proves this membership only. */
  readonly provesAddress: boolean;
}

export interface NewLink extends Omit<LinkRecord, "id"> {
  readonly tokenHash: string;
  readonly expiresAt: Temporal.Instant;
}

export interface SessionRecord extends MemberId {
  readonly id: string;
  readonly provesAddress: boolean;
  readonly createdAt: Temporal.Instant;
  /** When the person last proved who they are. */
  readonly provedAt: Temporal.Instant;
  readonly seenAt: Temporal.Instant;
  readonly expiresAt: Temporal.Instant;
  readonly browser: string;
  readonly address: string;
}

export interface StartedSession
  extends Pick<
    SessionRecord,
    "tenantId" | "environment" | "personId" | "provesAddress" | "expiresAt" | "browser" | "address"
  > {
  readonly tokenHash: string;
}

export interface SignIns {
  /** False: the address was sent too many codes lately. */
  insertCode(code: NewCode): Promise<boolean>;
  /** Counts a try at the browser's latest code. Undefined: it is used, expired, or was tried too often. */
  tryCode(visitHash: string): Promise<CodeRecord | undefined>;
  /** False: another request has used it. */
  useCode(id: string): Promise<boolean>;
  insertLink(link: NewLink): Promise<void>;
  /** Ends the links of this kind that the member has not used. */
  endLinks(member: MemberId, kind: LinkRecord["kind"]): Promise<void>;
  findLink(tokenHash: string): Promise<LinkRecord | undefined>;
  /** False: another request has used it. */
  useLink(id: string): Promise<boolean>;
  insertSession(session: StartedSession): Promise<void>;
  /** Undefined: there is none, or it has ended. */
  findSession(tokenHash: string): Promise<SessionRecord | undefined>;
  sawSession(session: Pick<SessionRecord, "id" | "seenAt">): Promise<void>;
  /** Those that have not ended, newest first. */
  listSessions(member: MemberId): Promise<readonly SessionRecord[]>;
  /** False: the member has no such session. */
  endSession(id: string, member: MemberId): Promise<boolean>;
  /** Deletes what has long expired. */
  prune(): Promise<void>;
}
