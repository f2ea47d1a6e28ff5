import { z } from "zod";
import type { Environment } from "../../ports/identity.ts";
import type { EffectRecord, EffectStore } from "../effects/index.ts";

declare module "../../kernel/stores.ts" {
  interface ModuleStores {
    "outbox.messages": Messages;
  }
}

/** `kept`: it may not leave the house. */
const messageStates = ["intended", "sending", "sent", "kept", "failed"] as const;
export type MessageState = (typeof messageStates)[number];

export interface MessageRecord extends EffectRecord {
  state: MessageState;
  tenantId: string;
  /** How often it was tried; the one under way included. */
  attempts: number;
  expiresAt: Temporal.Instant;
  updatedAt: Temporal.Instant;
}

interface NewMessage {
  id: string;
  tenantId: string;
  environment: Environment;
  userId: string;
  kind: string;
  key: string;
  mail: StoredMail;
  expiresAt: Temporal.Instant;
  workerId: string;
}

export interface Messages extends EffectStore<MessageRecord> {
  /** Undefined: there is one of this key that has not failed. */
  insert(message: NewMessage): Promise<MessageRecord | undefined>;
  findLive(tenantId: string, environment: Environment, key: string): Promise<MessageRecord | undefined>;
  /** Undefined: it is over. */
  readMail(id: string): Promise<StoredMail | undefined>;
  /** Deletes mails of the tenant that were kept and whose text this is true of. */
  forgetAbout(tenantId: string, environment: Environment, isNamedIn: (text: string) => boolean): Promise<void>;
  /** Messages that have ended and are older. */
  forget(before: Temporal.Instant): Promise<void>;
}

export const StoredMail = z.object({
  to: z.object({ address: z.string() }),
  ...{ subject: z.string(), text: z.string(), html: z.string() },
});
export type StoredMail = z.output<typeof StoredMail>;
