import { z } from "zod";
import type { RecordSource } from "../../ports/channel-records.ts";
import type { ChatEvent, ChatKind, ChatMessage } from "../../ports/chat.ts";
import type { Environment } from "../../ports/identity.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "channels.channels": Channels;
    "channels.channelPeople": ChannelPeople;
    "channels.channelMessages": ChannelMessages;
    "channels.channelRecords": ChannelRecords;
  }
}

export interface ChannelOwner {
  readonly tenantId: string;
  readonly environment: Environment;
}

/** A change by a caller, for the audit log. */
export interface ChannelChange extends ChannelOwner {
  readonly actor: string;
}

export const ChannelSecrets = z.object({
  /** The app's, unless the operator's is used. WhatsApp calls the signing secret the app's secret. */
  clientId: z.string().optional(),
  clientSecret: z.string().optional(),
  signingSecret: z.string().optional(),
  /** The installation's, or on WhatsApp the system user's. */
  token: z.string().optional(),
});
export type ChannelSecrets = z.output<typeof ChannelSecrets>;

/** Where anything else may not be sent, messages fill these. */
export const ChannelTemplates = z.object({
  language: z.string(),
  update: z.string(),
  approval: z.string(),
  claimLink: z.string(),
  claimCode: z.string(),
});
export type ChannelTemplates = z.output<typeof ChannelTemplates>;

export const ChannelSettings = z.object({
  /** A place where several people read, in which requests for approval are shown, too. */
  approvalsIn: z.string().optional(),
  botUserId: z.string().optional(),
  displayNumber: z.string().optional(),
  templates: ChannelTemplates.partial().optional(),
});
export type ChannelSettings = z.output<typeof ChannelSettings>;

export type ChannelState = "to_install" | "on" | "off";

/** A tenant's place in a chat system: a Slack workspace, a phone number on WhatsApp, or an address for mail. */
export interface Channel extends ChannelOwner {
  readonly id: string;
  readonly kind: ChatKind;
  readonly name: string;
  readonly state: ChannelState;
  readonly offBecause: string | undefined;
  readonly isSimulated: boolean;
  readonly accountId: string | undefined;
  readonly settings: ChannelSettings;
  readonly createdAt: Temporal.Instant;
  readonly updatedAt: Temporal.Instant;
}

export interface OpenChannel extends Channel {
  readonly secrets: ChannelSecrets;
}

export interface Channels {
  /** Undefined: the tenant has the most channels already. Audited, as the other changes are. */
  add(
    owner: ChannelChange,
    channel: Pick<OpenChannel, "id" | "kind" | "name" | "state" | "isSimulated" | "accountId" | "settings" | "secrets">,
  ): Promise<Channel | undefined>;
  list(owner: ChannelOwner): Promise<readonly Channel[]>;
  find(owner: ChannelOwner, id: string): Promise<Channel | undefined>;
  change(
    owner: ChannelChange,
    id: string,
    change: {
      name: string;
      settings: ChannelSettings;
      state: "on" | "off";
      /** Those of another app, which is to be installed. Undefined: the same app. */
      secrets: ChannelSecrets | undefined;
    },
  ): Promise<Channel | undefined>;
  remove(owner: ChannelChange, id: string): Promise<boolean>;
  /** Whoever's it is: for requests that prove by a signature where they come from. */
  open(id: string): Promise<OpenChannel | undefined>;
  /** By the account that exactly one channel has, in whichever environment. */
  openAccount(kind: ChatKind, accountId: string): Promise<OpenChannel | undefined>;
  /** Those of the operator's app in this workspace. */
  openShared(kind: ChatKind, accountId: string): Promise<readonly OpenChannel[]>;
  listOn(owner: ChannelOwner): Promise<readonly Channel[]>;
  listSimulated(): Promise<readonly OpenChannel[]>;
  /** Switches it on. False: the account belongs to another channel. */
  install(
    channel: OpenChannel,
    installed: { accountId: string; name: string; settings: ChannelSettings; secrets: ChannelSecrets },
  ): Promise<boolean>;
  switchOff(channel: Pick<Channel, "id" | "tenantId" | "environment" | "kind">, because: string): Promise<void>;
}

/** Somebody who wrote in a channel. */
export interface ChannelPerson extends ChannelOwner {
  readonly id: string;
  readonly channelId: string;
  readonly externalId: string;
  /** Where the person alone reads. */
  readonly address: string | undefined;
  readonly phone: string | undefined;
  /** Undefined: the person has not proved who they are. */
  readonly userId: string | undefined;
  /** The key that issued the code: whose scopes and limits the person's messages have. */
  readonly keyId: string | undefined;
  readonly conversationId: string | undefined;
  /** True: known by nothing but a new code. */
  readonly isUnlinked: boolean;
  readonly lastMessageAt: Temporal.Instant | undefined;
  readonly createdAt: Temporal.Instant;
}

interface SeenPerson {
  readonly externalId: string;
  readonly address: string | undefined;
  readonly phone: string | undefined;
  readonly at: Temporal.Instant;
}

/** Proves once, to one channel, who somebody is. */
interface ChannelCode extends ChannelOwner {
  readonly channelId: string;
  readonly codeHash: string;
  readonly userId: string;
  readonly keyId: string;
  readonly expiresAt: Temporal.Instant;
}

export interface ChannelPeople {
  /** Finds or adds whoever wrote; a direct message also tells where they read. Somebody known by phone number is known by id now. */
  see(channel: Channel, person: SeenPerson): Promise<ChannelPerson>;
  /** When whoever reads there wrote last. */
  findLastMessage(channelId: string, address: string): Promise<Temporal.Instant | undefined>;
  /** The same person has another id now. False: nobody had the former one, or the new one belongs to another known person. */
  rename(channelId: string, change: { from: string; to: string; phone: string | undefined }): Promise<boolean>;
  find(channelId: string, externalId: string): Promise<ChannelPerson | undefined>;
  /** By the conversation that they have. */
  findByConversation(conversationId: string): Promise<ChannelPerson | undefined>;
  /** Those who proved to be one of these users. */
  listUsers(channelId: string, userIds: readonly string[]): Promise<readonly ChannelPerson[]>;
  list(owner: ChannelOwner, channelId: string): Promise<readonly ChannelPerson[]>;
  link(personId: string, proved: { userId: string; keyId: string }): Promise<void>;
  /** The person is a stranger afterwards. False: there is none. */
  unlink(owner: ChannelOwner, channelId: string, personId: string): Promise<boolean>;
  converse(personId: string, conversationId: string | undefined): Promise<void>;
  storeCode(code: ChannelCode): Promise<void>;
  takeCode(channelId: string, codeHash: string): Promise<Pick<ChannelCode, "userId" | "keyId"> | undefined>;
  prune(): Promise<void>;
}

/** The meaning of a button. `say` answers in the sender's name, `scan` agrees that a document is read. */
export type ButtonMeaning =
  | { readonly means: "approve" | "reject" }
  | { readonly means: "say" | "scan"; readonly said: string };

/** Where the bytes of a document are until it is sent. */
export interface DocumentPlace {
  readonly fileName: string;
  readonly contentType: string;
  /** Anyone with it can read the file. */
  readonly url: string;
}

/** A message as it should look. */
export interface Content {
  readonly document?: DocumentPlace | undefined;
  readonly text: string;
  readonly buttons: readonly (ChatMessage["buttons"][number] & ButtonMeaning)[];
  readonly link?: string | undefined;
}

/** `approval_end` follows a card that cannot be edited. The words of a claim's messages are made when they are sent. */
export type MessageKind = "reply" | "notice" | "approval" | "approval_end" | "claim_link" | "claim_code";

export interface NewChannelMessage extends ChannelOwner {
  readonly channelId: string;
  readonly address: string;
  /** With `about` it is unique at its address. */
  readonly kind: MessageKind;
  /** A turn, an event, an approval or a trip. */
  readonly about: string;
  readonly conversationId?: string | undefined;
  readonly content: Content;
  /** When its buttons end by themselves. Left out: they do not. */
  readonly endsAt?: Temporal.Instant | undefined;
  readonly giveUpAt: Temporal.Instant;
}

export interface ChannelMessage extends Omit<NewChannelMessage, "content" | "endsAt" | "giveUpAt" | "conversationId"> {
  readonly id: string;
}

export type StoredMessage = ChatMessage & Pick<Content, "document">;

export interface LeasedMessage extends ChannelMessage {
  readonly content: StoredMessage;
  /** The chat system's id of its document, told before anybody could see it. */
  readonly uploadId: string | undefined;
  readonly version: number;
  readonly shownVersion: number;
  readonly externalId: string | undefined;
  readonly attempts: number;
  /** Since when an earlier attempt may have had an effect: its answer was lost, or its process died. */
  readonly unsureSince: Temporal.Instant | undefined;
  readonly repeats: number;
  readonly isTemplate: boolean;
  readonly giveUpAt: Temporal.Instant;
  readonly traceId: string | undefined;
}

const messageStates = ["waiting", "sent", "delivered", "read", "failed"] as const;

export interface MessageProgress {
  readonly id: string;
  readonly state: (typeof messageStates)[number];
  readonly isUnsure: boolean;
  readonly problem: string | undefined;
}

/** A pressed button with its message. */
export interface PressedButton extends ChannelMessage {
  readonly meaning: ButtonMeaning;
}

export interface ChannelMessages {
  /** Stores it unless there is one; then that one is shown with this content. */
  show(message: NewChannelMessage): Promise<void>;
  /** Stores it unless there is one. */
  insert(message: NewChannelMessage): Promise<void>;
  /** Shows which button was pressed in place of the buttons, or only takes their meaning away. */
  settle(messageId: string, value: string, options: { isShown: boolean }): Promise<void>;
  /** Its buttons mean nothing any more, and if it certainly was not sent, it will not be. False: nobody can have seen it. */
  conclude(messageId: string, because: string): Promise<boolean>;
  /** As it is to look. */
  readContent(messageId: string): Promise<StoredMessage>;
  listAbout(owner: ChannelOwner, about: string): Promise<readonly ChannelMessage[]>;
  findButton(environment: Environment, value: string): Promise<PressedButton | undefined>;
  take(options: { until: Temporal.Instant; limit: number }): Promise<readonly LeasedMessage[]>;
  /** Before it is sent: only its template may be. */
  useTemplate(message: LeasedMessage): Promise<void>;
  /** Before it is sent again although it may have arrived. */
  repeat(message: LeasedMessage): Promise<void>;
  /** Before anybody can see its document. */
  noteUpload(message: LeasedMessage, uploadId: string): Promise<void>;
  /** This version of it is shown. */
  shown(message: LeasedMessage, shown: { externalId: string; isTemplate: boolean }): Promise<void>;
  /** `isTakenBack`: the repetition did not happen after all. */
  tryAgain(
    message: LeasedMessage,
    again: {
      at: Temporal.Instant;
      problem: string;
      unsureSince: Temporal.Instant | undefined;
      isTemplate?: boolean;
      isTakenBack?: boolean;
    },
  ): Promise<void>;
  /** `unsureSince`: it may have arrived nevertheless. */
  fail(message: LeasedMessage, problem: string, unsureSince?: Temporal.Instant): Promise<void>;
  /** Others of the channel wait too. */
  postpone(channelId: string, until: Temporal.Instant): Promise<void>;
  failWaiting(channelId: string, problem: string): Promise<void>;
  /** A state only rises. */
  rise(channelId: string, event: Extract<ChatEvent, { type: "status" }>): Promise<boolean>;
  /** Has the approvals shown again whose cards have ended by themselves. */
  endCards(): Promise<void>;
  prune(before: Temporal.Instant): Promise<void>;
}

/** Events that came in and messages that go out, as the records of their channel. */
export interface ChannelRecords extends Omit<RecordSource, "channels" | "knowsTrips"> {
  /** The conversation or approval that an event turned out to belong to. */
  note(
    environment: Environment,
    eventId: string,
    subject: { conversationId?: string | undefined; approvalId?: string | undefined },
  ): Promise<void>;
  findState(
    message: Pick<NewChannelMessage, "channelId" | "environment" | "address" | "kind" | "about">,
  ): Promise<MessageProgress | undefined>;
  /** The places to which messages of this kind about it were addressed. */
  listAddresses(owner: ChannelOwner, kind: MessageKind, about: string): Promise<readonly string[]>;
}
