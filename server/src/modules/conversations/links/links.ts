import type { Environment } from "../../../ports/identity.ts";

declare module "../../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "conversations.conversationLinks": ConversationLinks;
  }
}

interface LinkOwner {
  readonly tenantId: string;
  readonly environment: Environment;
}

/** `key`: the service account of an agent's key, `svc:<keyId>`. `email`: an address in lower case, which was proved. */
type SubjectKind = "key" | "email";

interface Subject extends LinkOwner {
  readonly kind: SubjectKind;
  readonly subject: string;
}

/** One of the identities by which a traveler is known. */
interface Link {
  readonly id: string;
  readonly kind: SubjectKind;
  readonly subject: string;
  readonly createdAt: Temporal.Instant;
}

/** It proves one thing, once. */
interface LinkCode extends LinkOwner {
  readonly codeHash: string;
  /** Whose conversations it opens, or who proves the address. */
  readonly userId: string;
  /** The address that the code was mailed to. */
  readonly email: string | undefined;
  readonly expiresAt: Temporal.Instant;
}

export interface ConversationLinks {
  /** Undefined: it belongs to nobody. */
  findUser(subject: Subject): Promise<string | undefined>;
  /** Who proved an address, and the key with which they did. */
  findProved(owner: LinkOwner, email: string): Promise<{ userId: string; keyId: string } | undefined>;
  list(owner: LinkOwner, userId: string): Promise<readonly Link[]>;
  /** Joins the subject to the user. Returns the user to whom it belongs from then on: another one if it was joined before. */
  join(subject: Subject, userId: string, keyId?: string): Promise<string>;
  /** False: the user has no such link. */
  remove(owner: LinkOwner, userId: string, linkId: string): Promise<boolean>;
  storeCode(code: LinkCode): Promise<void>;
  /** Takes a code, which is then used up. Undefined: there is none, or it has expired. */
  takeCode(owner: LinkOwner, codeHash: string): Promise<Pick<LinkCode, "userId" | "email"> | undefined>;
  /** Counts an attempt to use a code, and returns how many there were within this window, this one included. */
  countAttempt(owner: LinkOwner, ownerId: string, windowSeconds: number): Promise<number>;
  /** Gives the user the conversations that began under another identity. */
  moveConversations(owner: LinkOwner, from: string, to: string): Promise<void>;
  prune(): Promise<unknown>;
}
