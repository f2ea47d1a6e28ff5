import type { CommonParts } from "../../../kernel/contracts/parts.ts";
import { backOff } from "../../../platform/leased-queue/back-off.ts";
import { ChatFailure, type ChatProblem } from "../../../ports/chat.ts";
import type { LeasedMessage, OpenChannel } from "../channels.ts";
import type { Parts } from "../context.ts";
import type { MailSenderParts } from "../email/mail-sender.ts";
import { findSender } from "../find-sender.ts";
import { findAccess, setUpSimulated } from "../installation.ts";

type SenderParts = MailSenderParts & Pick<CommonParts, "log"> & Pick<Parts, "stores">;

/** Longer than an attempt takes: how long others leave a dead process's messages alone. */
const LEASE = { seconds: 60 };
const MOST_AT_ONCE = 32;
const RETRY = { firstMilliseconds: 1_000, longestMilliseconds: 600_000 };
/** Where nobody can be asked, the chat system's own report may still come. */
const REPORT_SECONDS = 20;
/** The clocks of both sides differ. */
const CLOCK_SECONDS = 120;

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

  /** Returns the chat system's id of the message. */
  async #show(channel: OpenChannel, message: LeasedMessage): Promise<string> {
    const system = findSender(this.#parts, channel);
    const access = await findAccess(this.#parts, channel);
    const sending = { to: message.address, ref: message.id, about: message.about, message: message.content };
    const known = message.externalId ?? (await this.#find(message, (since) => system.find?.(access, sending, since)));
    if (known === undefined) return await system.send(access, sending);
    // The message that was found may be of an earlier version.
    await system.edit?.(access, sending, known);
    return known;
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
    const isOver = Temporal.Instant.compare(message.giveUpAt, clock.now()) <= 0;
    if (isOver || problem === "refused" || (problem === "window_closed" && message.isTemplate)) {
      return await channelMessages.fail(message, says);
    }
    if (problem === "window_closed") {
      return await channelMessages.tryAgain(message, { at: clock.now(), problem: says, isTemplate: true });
    }
    const canAsk = findSender(this.#parts, channel).find !== undefined;
    const gap = problem === "unsure" && !canAsk ? REPORT_SECONDS * 1_000 : backOff(message.attempts, RETRY);
    const at = clock
      .now()
      .add({ milliseconds: retryAfterSeconds === undefined ? gap : Math.ceil(retryAfterSeconds * 1_000) });
    const unsureSince = problem === "unsure" ? begun : undefined;
    await channelMessages.tryAgain(message, { at, problem: says, unsureSince });
    // The limit is the installation's.
    if (retryAfterSeconds !== undefined) await channelMessages.postpone(channel.id, at);
  }

  /** The simulator forgets everything when it ends. */
  async #rescue(
    channel: OpenChannel,
    { attempts }: LeasedMessage,
    { problem, message }: ChatFailure,
  ): Promise<ChatProblem> {
    if (problem !== "revoked" || !channel.isSimulated || attempts > 1 || !message.endsWith("invalid_auth"))
      return problem;
    await setUpSimulated(this.#parts, channel).catch(() => undefined);
    return "not_done";
  }
}
