import { z } from "zod";
import type { Environment } from "../../ports/identity.ts";
import type { EffectRecord, EffectStore } from "../effects/index.ts";
import type { Letter } from "./carriers/carrier.ts";
import type { CarrierName } from "./carriers/index.ts";
import type { SentMail } from "./sent-mail.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "outbox.messages": Messages;
  }
}

/** `kept`: it may not be sent. */
export type MessageState = "intended" | "sending" | "sent" | "kept" | "failed";

export interface MessageRecord extends EffectRecord {
  state: MessageState;
  tenantId: string;
  /** Undefined: the recipient is named by the record, such as a trip's guest. */
  userId: string | undefined;
  carrier: string;
  /** The record that the message is composed from. Undefined: its words are stored with it. */
  recordId: string | undefined;
  /** The number of attempts, including the current one. */
  attempts: number;
  expiresAt: Temporal.Instant;
  updatedAt: Temporal.Instant;
}

/** The recipient and the reason. A person gets at most one message for each. */
export interface MessageReason {
  tenantId: string;
  environment: Environment;
  userId?: string | undefined;
  kind: string;
  about: readonly (string | undefined)[];
}

export interface NewMessage extends MessageReason {
  carrier: CarrierName;
  /** Words that only the caller knows. They are stored encrypted until they are sent. */
  letter?: Omit<Letter, "attachments">;
  /** The record that the message is composed from at sending, if no words are given. */
  recordId?: string;
  /** Carrier failures are retried until then. */
  expiresAt: Temporal.Instant;
}

export interface Messages extends EffectStore<MessageRecord> {
  /**
   * Inserts in the transaction of the record that it is about, so that both are stored or neither. Undefined: there is an
   * unfailed message for the same reason.
   */
  insert(message: NewMessage): Promise<MessageRecord | undefined>;
  findLive(reason: MessageReason): Promise<MessageRecord | undefined>;
  /** Leases a message that is due and that no other worker has. */
  claim(id: string, workerId: string, staleSeconds: number): Promise<MessageRecord | undefined>;
  /** Marks a mail that was sent and could not be delivered. False: there is no such mail, or it is marked already. */
  markBounced(mail: SentMail, problem: string): Promise<boolean>;
  /** Undefined: it has ended, or its words were not stored with it. */
  readLetter(id: string): Promise<Letter | undefined>;
  /** Deletes kept messages of the tenant whose text `isNamedIn` accepts. */
  forgetAbout(tenantId: string, environment: Environment, isNamedIn: (text: string) => boolean): Promise<void>;
  /** Deletes ended messages that are older. */
  forget(before: Temporal.Instant): Promise<void>;
}

export const StoredLetter = z.object({
  to: z.object({ address: z.string(), name: z.string().optional() }),
  subject: z.string(),
  text: z.string(),
  html: z.string(),
  replyTo: z.string().optional(),
  unsubscribeUrl: z.string().optional(),
});
