import type { CommonParts } from "../../../kernel/contracts/parts.ts";
import { backOff } from "../../../platform/leased-queue/back-off.ts";
import {
  type ChatDocument,
  ChatFailure,
  type ChatMessage,
  type ChatProblem,
  type ChatSender,
} from "../../../ports/chat.ts";
import { readSharedFile } from "../../files/index.ts";
import type { LeasedMessage, OpenChannel } from "../channels.ts";
import type { Parts } from "../context.ts";
import type { MailSenderParts } from "../email/mail-sender.ts";
import { findSender } from "../find-sender.ts";
import { findAccess, setUpSimulated } from "../installation.ts";
import { chooseTemplate, isWindowOpen } from "./choose-template.ts";
import { composeClaim } from "./compose-claim.ts";

type SenderParts = MailSenderParts & Pick<CommonParts, "log" | "claimKeys"> & Pick<Parts, "stores">;

interface Composed {
  readonly content: ChatMessage;
  readonly parameter?: string;
  readonly document?: ChatDocument;
}

/** Longer than an attempt takes: how long others leave a dead process's messages alone. */
const LEASE = { seconds: 60 };
const MOST_AT_ONCE = 32;
const RETRY = { firstMilliseconds: 1_000, longestMilliseconds: 30_000 };
/** Where nobody can be asked, the chat system's own report may still come. */
const REPORT_SECONDS = 20;
/** How often something is sent again of which nobody can say whether it arrived. */
const MOST_REPEATS = 1;
/** The clocks of both sides differ. */
const CLOCK_SECONDS = 120;

/** As Slack and Meta say that they never heard of a token. */
const UNKNOWN_THERE = /invalid_auth$|: 190 /;

/** Brings messages to where people read: in the order of each place, and each once as far as the chat system lets us know. */
export class MessageSender {
  readonly #parts: SenderParts;
  readonly #sending = new Set<Promise<void>>();
  #isStopping = false;

  constructor(parts: SenderParts) {
    this.#parts = parts;
  }

  /** Begins as many due messages as there is room for. Their ends begin further ones. */
  async run(): Promise<void> {
    while (!this.#isStopping) {
      const limit = MOST_AT_ONCE - this.#sending.size;
      if (limit <= 0) return;
      const { stores, clock } = this.#parts;
      const taken = await stores.channelMessages.take({ until: clock.now().add(LEASE), limit });
      for (const message of taken) this.#begin(message);
      if (taken.length < limit) return;
    }
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(this.#sending);
  }

  #begin(message: LeasedMessage): void {
    const sending = this.#bring(message)
      .catch((err: unknown) => this.#parts.log.warn({ err, messageId: message.id }, "a message's end was not stored"))
      .finally(() => this.#sending.delete(sending))
      .then(() => this.run())
      // The timer of the queue finds them, too.
      .catch(() => undefined);
    this.#sending.add(sending);
  }

  async #bring(message: LeasedMessage): Promise<void> {
    const { stores } = this.#parts;
    const channel = await stores.channels.open(message.channelId);
    if (channel?.state !== "on") return await stores.channelMessages.fail(message, "The channel is off.");
    const begun = this.#parts.clock.now();
    try {
      await stores.channelMessages.shown(message, await this.#show(channel, message));
    } catch (error) {
      if (!(error instanceof ChatFailure)) throw error;
      await this.#judge(channel, message, error, begun);
    }
  }

  /** Returns the chat system's id of the message, and whether it went as a template. */
  async #show(channel: OpenChannel, message: LeasedMessage): Promise<{ externalId: string; isTemplate: boolean }> {
    const system = findSender(this.#parts, channel);
    const access = await findAccess(this.#parts, channel);
    const { content, parameter, document } = await this.#compose(message);
    const { uploadId } = message;
    const sending = { to: message.address, ref: message.id, about: message.about, message: content };
    const find = (since: Temporal.Instant) => system.find?.(access, { ...sending, uploadId }, since);
    const known = message.externalId ?? (await this.#find(message, find));
    if (known === undefined) {
      await this.#countRepeat(system, message);
      const isFree = !message.isTemplate && (await isWindowOpen(this.#parts, system, message));
      if (isFree && document !== undefined && system.sendDocument !== undefined) {
        const noteUpload = (id: string) => this.#parts.stores.channelMessages.noteUpload(message, id);
        return {
          externalId: await system.sendDocument(access, { ...sending, document }, noteUpload),
          isTemplate: false,
        };
      }
      if (isFree) return { externalId: await system.send(access, sending), isTemplate: false };
      await this.#parts.stores.channelMessages.useTemplate(message);
      const template = chooseTemplate(channel, message, content, parameter);
      return { externalId: await system.send(access, { ...sending, template }), isTemplate: true };
    }
    // The message that was found may be of an earlier version.
    await system.edit?.(access, sending, known);
    return { externalId: known, isTemplate: message.isTemplate };
  }

  /** Secrets are not stored with a message. */
  async #compose(message: LeasedMessage): Promise<Composed> {
    if (message.kind !== "claim_link" && message.kind !== "claim_code") return await this.#open(message);
    const words = await composeClaim(this.#parts, message);
    if (typeof words === "string") throw new ChatFailure("refused", words);
    return { content: { text: words.text, buttons: [], link: words.link }, parameter: words.parameter };
  }

  /** A template holds no document: its gap has the address. */
  async #open({ content: { document: place, ...content } }: LeasedMessage): Promise<Composed> {
    if (place === undefined) return { content };
    const { stores, clock } = this.#parts;
    const file = await readSharedFile(stores.sharedFiles, place.url, clock.now());
    if (file === undefined) return { content };
    const { fileName, contentType } = place;
    return {
      content,
      document: { fileName, contentType, content: file.content, url: place.url },
      parameter: `${content.text}\n${place.url}`,
    };
  }

  /** An earlier attempt may have arrived, and nobody can be asked. It is counted before it can arrive twice. */
  async #countRepeat(system: ChatSender, message: LeasedMessage): Promise<void> {
    if (!isRepeat(system, message)) return;
    if (message.repeats >= MOST_REPEATS) {
      throw new ChatFailure("refused", "It may have arrived, and nobody can be asked. It is not sent once more.");
    }
    await this.#parts.stores.channelMessages.repeat(message);
  }

  /** An attempt whose answer was lost may have had its effect. */
  async #find(
    { unsureSince }: LeasedMessage,
    find: (since: Temporal.Instant) => Promise<string | undefined> | undefined,
  ): Promise<string | undefined> {
    return unsureSince === undefined ? undefined : await find(unsureSince.subtract({ seconds: CLOCK_SECONDS }));
  }

  async #judge(
    channel: OpenChannel,
    message: LeasedMessage,
    failure: ChatFailure,
    begun: Temporal.Instant,
  ): Promise<void> {
    const { stores, clock } = this.#parts;
    const { channelMessages } = stores;
    const { message: says, retryAfterSeconds } = failure;
    const problem = await this.#rescue(channel, message, failure);
    if (problem === "revoked") {
      await stores.channels.switchOff(channel, "Its access was withdrawn there. Install it again.");
      return await channelMessages.failWaiting(channel.id, says);
    }
    // An earlier attempt may have arrived, whatever became of this one.
    const unsureSince = message.unsureSince ?? (problem === "unsure" ? begun : undefined);
    const system = findSender(this.#parts, channel);
    const isTakenBack = problem !== "unsure" && problem !== "refused" && isRepeat(system, message);
    const isOver = Temporal.Instant.compare(message.giveUpAt, clock.now()) <= 0;
    if (isOver || problem === "refused" || (problem === "window_closed" && message.isTemplate)) {
      return await channelMessages.fail(message, says, unsureSince);
    }
    const again = { problem: says, unsureSince, isTakenBack };
    if (problem === "window_closed") {
      return await channelMessages.tryAgain(message, { ...again, at: clock.now(), isTemplate: true });
    }
    const canAsk = system.find !== undefined;
    const gap = problem === "unsure" && !canAsk ? REPORT_SECONDS * 1_000 : backOff(message.attempts, RETRY);
    const at = clock
      .now()
      .add({ milliseconds: retryAfterSeconds === undefined ? gap : Math.ceil(retryAfterSeconds * 1_000) });
    await channelMessages.tryAgain(message, { ...again, at });
    // The limit is the installation's.
    if (retryAfterSeconds !== undefined) await channelMessages.postpone(channel.id, at);
  }

  /** The simulator forgets everything when it ends. */
  async #rescue(
    channel: OpenChannel,
    { attempts }: LeasedMessage,
    { problem, message }: ChatFailure,
  ): Promise<ChatProblem> {
    if (problem !== "revoked" || !channel.isSimulated || attempts > 1 || !UNKNOWN_THERE.test(message)) return problem;
    await setUpSimulated(this.#parts, channel).catch(() => undefined);
    return "not_done";
  }
}

const isRepeat = ({ find }: ChatSender, { unsureSince, externalId }: LeasedMessage): boolean =>
  find === undefined && unsureSince !== undefined && externalId === undefined;
