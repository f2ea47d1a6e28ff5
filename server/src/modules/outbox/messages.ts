import { z } from "zod";
import type { Environment } from "../../ports/identity.ts";
import type { EffectRecord, EffectStore } from "../effects/index.ts";
import type { Letter } from "./carriers/carrier.ts";
import type { CarrierName } from "./carriers/index.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "outbox.messages": Messages;
  }
}

/** `kept`: it may not leave the house. */
export type MessageState = "intended" | "sending" | "sent" | "kept" | "failed";

export interface MessageRecord extends EffectRecord {
  state: MessageState;
  tenantId: string;
  /** Undefined: somebody whom the record that it is composed from names, such as the guest of a trip. */
  userId: string | undefined;
  carrier: string;
  /** The record that it is composed from. Undefined: its words are stored with it. */
  recordId: string | undefined;
  /** How often it was tried; the one under way included. */
  attempts: number;
  expiresAt: Temporal.Instant;
  updatedAt: Temporal.Instant;
}

/** To whom, and for which reason: nobody is written to twice for the same. */
export interface MessageReason {
  tenantId: string;
  environment: Environment;
  userId?: string | undefined;
  kind: string;
  about: readonly (string | undefined)[];
}

export interface NewMessage extends MessageReason {
  carrier: CarrierName;
  /** Words that only the caller knows. They are stored sealed until they were sent. */
  letter?: Letter;
  /** The record from which it is composed when it is sent, where no words are given. */
  recordId?: string;
  /** A carrier that does not take it is tried again until then. */
  expiresAt: Temporal.Instant;
}

export interface Messages extends EffectStore<MessageRecord> {
  /**
   * In the transaction of what it is about: both are stored, or neither. Undefined: there is one for the same reason that has not
   * failed.
   */
  insert(message: NewMessage): Promise<MessageRecord | undefined>;
  findLive(reason: MessageReason): Promise<MessageRecord | undefined>;
  /** Takes one message that is due and that no other worker has. */
  claim(id: string, workerId: string, staleSeconds: number): Promise<MessageRecord | undefined>;
  /** Undefined: it is over, or its words were not stored with it. */
  readLetter(id: string): Promise<Letter | undefined>;
  /** Deletes messages of the tenant that were kept and whose text this is true of. */
  forgetAbout(tenantId: string, environment: Environment, isNamedIn: (text: string) => boolean): Promise<void>;
  /** Messages that have ended and are older. */
  forget(before: Temporal.Instant): Promise<void>;
}

export const StoredLetter = z.object({
  to: z.object({ address: z.string(), name: z.string().optional() }),
  subject: z.string(),
  text: z.string(),
  html: z.string(),
});
