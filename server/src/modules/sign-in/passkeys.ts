import type { MemberId } from "./sign-ins.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "sign-in.passkeyRows": PasskeyRows;
  }
}

export interface PasskeyRecord extends MemberId {
  readonly id: string;
  /** Chosen by the authenticator, and public. */
  readonly credentialId: string;
  /** COSE, in base64url. */
  readonly publicKey: string;
  readonly counter: bigint;
  readonly transports: readonly string[];
  readonly name: string;
  readonly provesAddress: boolean;
  readonly createdAt: Temporal.Instant;
  readonly usedAt: Temporal.Instant | undefined;
}

export interface PasskeyRows {
  /** False: the credential is there already. */
  insert(passkey: Omit<PasskeyRecord, "id" | "createdAt" | "usedAt">): Promise<boolean>;
  find(credentialId: string): Promise<PasskeyRecord | undefined>;
  list(member: MemberId): Promise<readonly PasskeyRecord[]>;
  /** False: the member has no such passkey. */
  delete(id: string, member: MemberId): Promise<boolean>;
  /** False: its counter has moved on since it was read. */
  used(passkey: Pick<PasskeyRecord, "id" | "counter">, counter: bigint): Promise<boolean>;
  insertChallenge(challengeHash: string, boundHash: string, expiresAt: Temporal.Instant): Promise<void>;
  /** Uses it up. False: it is unknown, was used, has expired, or was given to another browser. */
  takeChallenge(challengeHash: string, boundHash: string): Promise<boolean>;
}
