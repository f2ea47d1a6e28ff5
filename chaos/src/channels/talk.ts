import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { type Client, describeLoss } from "../client.ts";
import type { Deployment } from "../deployment.ts";
import type { History } from "../history.ts";
import type { Random } from "../random.ts";
import { type Dialogue, drawDialogue, drawInvitation, type Invitation } from "./dialogues.ts";
import { Guest, type Invited } from "./guest.ts";
import type { Card, Line, Seen, Shown } from "./line.ts";

const LOOK_MILLISECONDS = 150;
/** The simulator sends an event again for three quarters of a minute. */
const PATIENCE_MILLISECONDS = 90_000;
const CROWD = 50;
const MOST_STEPS = 8;
const BOOK = "ok book the cheapest one";
const QUESTION = "Shall I go ahead?";

/** A dialogue as far as it has come. */
export interface Played {
  readonly dialogue: Dialogue;
  readonly tenantId: string;
  readonly needsApproval: boolean;
  conversationId: string | undefined;
  /** Set: it was about a guest's trip, with what became of that. */
  invitation: (Invitation & Partial<Invited>) | undefined;
  isOver: boolean;
  /** The simulator was killed meanwhile, so that nobody can read how it went on. */
  isForgotten: boolean;
  failure: string | undefined;
}

/** The simulator does not know any more what was said. */
class ForgottenError extends Error {}

interface TalkOptions {
  deployment: Deployment;
  line: Line;
  tenantId: string;
  /** The tenant's calls, in the traveler's name. */
  client: Client;
  userId: string;
  needsApproval: boolean;
  /** Decides about an approval over the API. */
  decide(approvalId: string): Promise<void>;
  /** As if an hour had passed: a person may write so many mails an hour only. */
  rest(): Promise<void>;
  history: History;
}

/** The traveler and the approver of one tenant, who have one dialogue after the other. */
export class Talk {
  readonly line: Line;
  readonly played: Played[] = [];
  /** By text: how often the traveler has said it; an answer by buttons is said once, however many are pressed. */
  readonly said = new Map<string, number>();
  /** The simulator knows nothing from before this time. */
  forgottenUntil = 0;
  repeated = 0;
  readonly #options: TalkOptions;
  /** The last message that there was when the traveler did something. */
  #since = "";
  /** Cards of the dialogues before. */
  #answered: ReadonlySet<string> = new Set();

  constructor(options: TalkOptions) {
    this.#options = options;
    this.line = options.line;
  }

  get tenantId(): string {
    return this.#options.tenantId;
  }

  /** Notices whether the simulator still knows what was said last. */
  async look(signal: AbortSignal): Promise<void> {
    await this.line.reopen();
    await this.#read(signal).catch((error: unknown) => {
      if (!(error instanceof ForgottenError)) throw error;
    });
  }

  /** From its beginning to its end. */
  async play(random: Random, number: number, today: Temporal.PlainDate, signal: AbortSignal): Promise<void> {
    const { tenantId, needsApproval } = this.#options;
    const dialogue = drawDialogue(random.fork("plan"), number, today);
    const played: Played = {
      ...{ dialogue, tenantId, needsApproval },
      // A run of a tenant whose every call needs an approval would need two of them.
      invitation:
        this.line.guestAddress === undefined || needsApproval ? undefined : drawInvitation(random.fork("guest"), today),
      ...{ conversationId: undefined, isOver: false, isForgotten: false, failure: undefined },
    };
    this.played.push(played);
    try {
      await this.#begin(signal);
      await (played.invitation === undefined
        ? this.#converse(played, signal)
        : this.#invite(played, played.invitation, random.fork("trip"), signal));
      played.isOver = true;
    } catch (error) {
      if (error instanceof ForgottenError) played.isForgotten = true;
      else played.failure = error instanceof Error ? error.message : String(error);
    }
  }

  async #begin(signal: AbortSignal): Promise<void> {
    await this.#options.rest();
    await this.#say("new", signal, ({ text }) => text.includes("a new conversation"));
    this.#answered = new Set((await this.#read(signal)).cards.map(nameCard));
  }

  async #converse(played: Played, signal: AbortSignal): Promise<void> {
    const { dialogue } = played;
    let reply = await this.#say(dialogue.opening, signal);
    played.conversationId = await this.#findConversation(signal);
    for (let step = 0; step < MOST_STEPS; step += 1) {
      if (isEnd(reply)) return;
      if (reply.text.includes(QUESTION)) reply = await this.#answer(dialogue, reply, signal);
      else if (reply.text.includes("with the approvers")) reply = await this.#decide(dialogue, signal);
      else reply = await this.#say(BOOK, signal);
    }
    throw new Error(`it does not end: ${reply.text.slice(0, 200)}`);
  }

  async #invite(played: Played, invitation: Invitation, random: Random, signal: AbortSignal): Promise<void> {
    const { client, userId, line } = this.#options;
    const guest = new Guest({
      ...{ client, userId, appUrl: line.appUrl, kind: line.kind, address: line.guestAddress ?? "" },
      read: async () => (await this.#read(signal)).guest,
      approve: async () => {
        const { cards } = await this.#read(signal);
        const open = cards.filter((card) => !this.#answered.has(nameCard(card)));
        await Promise.allSettled(open.map((card) => line.decide(card, "Approve")));
      },
    });
    const name = `${played.dialogue.number}-${random.between(0, 2 ** 30)}`;
    played.invitation = { ...invitation, ...(await guest.travel({ ...invitation, random, name }, signal)) };
    this.#acknowledge();
  }

  /** By buttons, or in words. */
  async #answer({ answers: drawn }: Dialogue, question: Shown, signal: AbortSignal): Promise<Shown> {
    // Words in a mail decide nothing.
    const answers = typeof drawn === "string" && this.line.kind === "email" ? ["Yes"] : drawn;
    if (typeof answers === "string") return await this.#say(answers, signal);
    this.#count(answers.join(" and ").toLowerCase());
    this.#since = question.id;
    return await this.#untilAnswered(
      signal,
      () => true,
      async () => {
        await this.#pressAll(answers.map((label) => this.line.answer(question, label)));
      },
    );
  }

  /** The reply comes by itself once it is decided. */
  async #decide({ decision }: Dialogue, signal: AbortSignal): Promise<Shown> {
    const places: Card[] = [];
    for (const place of this.line.places) {
      const find = async () =>
        (await this.#read(signal)).cards.findLast(
          (card) => card.place === place && !this.#answered.has(nameCard(card)),
        );
      places.push(await this.#until(find, signal, `the approver gets a card in ${place}`));
    }
    this.#since = (await this.#read(signal)).talk.at(-1)?.id ?? "";
    const presses = decision === "crowd" || decision === "mixed crowd" ? CROWD : 1;
    return await this.#untilAnswered(
      signal,
      () => true,
      async () => {
        const isByApi = decision === "by API";
        const approvalId = isByApi || presses > 1 ? await this.#findApproval() : undefined;
        const byApi = approvalId === undefined ? [] : [this.#options.decide(approvalId)];
        const labels = Array.from({ length: isByApi ? 0 : presses }, (_, index) =>
          decision === "reject" || (decision === "mixed crowd" && index % 2 === 0) ? "Reject" : "Approve",
        );
        const pressed = labels.flatMap((label, index) => {
          const card = places[index % places.length];
          return card === undefined ? [] : [this.line.decide(card, label)];
        });
        await Promise.allSettled([...byApi, ...pressed]);
      },
    );
  }

  async #say(text: string, signal: AbortSignal, fits: (message: Shown) => boolean = () => true): Promise<Shown> {
    this.#since = (await this.#read(signal)).talk.at(-1)?.id ?? "";
    return await this.#untilAnswered(signal, fits, async () => {
      this.#count(text);
      await this.line.say("traveler", text);
    });
  }

  /** The next message of the app to the traveler. What was lost with a process that took it is done once more. */
  async #untilAnswered(
    signal: AbortSignal,
    fits: (message: Shown) => boolean,
    act: () => Promise<void>,
  ): Promise<Shown> {
    for (;;) {
      await act().catch((error: unknown) => this.#lose(error, signal));
      const deadline = performance.now() + PATIENCE_MILLISECONDS;
      while (performance.now() < deadline) {
        const { talk } = await this.#read(signal);
        const later = talk.slice(talk.findIndex(({ id }) => id === this.#since) + 1);
        const reply = later.find((one) => !one.isOwn && one.onlyFor === null && fits(one));
        if (reply !== undefined) {
          this.#acknowledge();
          return reply;
        }
        await delay(LOOK_MILLISECONDS, undefined, { signal });
      }
      this.repeated += 1;
    }
  }

  /** Rejects if all do: of several at the same moment, those that come late find that it is answered. */
  async #pressAll(pressed: readonly Promise<void>[]): Promise<void> {
    const ends = await Promise.allSettled(pressed);
    const failed = ends.find((end) => end.status === "rejected");
    if (failed !== undefined && ends.every(({ status }) => status === "rejected")) throw failed.reason;
  }

  async #until<Value>(find: () => Promise<Value | undefined>, signal: AbortSignal, what: string): Promise<Value> {
    const deadline = performance.now() + PATIENCE_MILLISECONDS;
    while (performance.now() < deadline) {
      const found = await find();
      if (found !== undefined) return found;
      await delay(LOOK_MILLISECONDS, undefined, { signal });
    }
    throw new Error(`not in time: ${what}`);
  }

  /** As the simulator has it. Rejects once it has forgotten what was last seen there. */
  async #read(signal: AbortSignal): Promise<Seen> {
    for (;;) {
      signal.throwIfAborted();
      try {
        const seen = await this.line.read();
        if (this.#since === "" || seen.talk.some(({ id }) => id === this.#since)) return seen;
      } catch (error) {
        await this.#lose(error, signal);
        continue;
      }
      this.forget();
      throw new ForgottenError("the simulator has forgotten it");
    }
  }

  forget(): void {
    this.#since = "";
    this.forgottenUntil = Date.now();
  }

  async #lose(error: unknown, signal: AbortSignal): Promise<void> {
    this.#options.history.record({ tool: "a message", args: {} }, { kind: "lost", code: describeLoss(error) });
    await delay(LOOK_MILLISECONDS, undefined, { signal });
    await this.line.reopen();
  }

  #count(text: string): void {
    this.said.set(text, (this.said.get(text) ?? 0) + 1);
  }

  #acknowledge(): void {
    this.#options.history.record(
      { tool: "a message", args: {} },
      { kind: "ok", result: undefined, meterId: undefined, priceMicroUsdc: 0n, replayed: false, signed: true },
    );
  }

  async #findConversation(signal: AbortSignal): Promise<string> {
    const { deployment, line } = this.#options;
    const names = line.travelerNames.map((name) => `'${name}'`).join(", ");
    const text = `select conversation_id as id from channel_person
      where channel_id = '${line.channelId}' and external_id in (${names}) and conversation_id is not null`;
    return await this.#until(async () => await this.#ask(deployment, text), signal, "the conversation is known");
  }

  async #findApproval(): Promise<string | undefined> {
    const { deployment, tenantId } = this.#options;
    const text = `select id from approval where tenant_id = '${tenantId}' and state = 'pending' order by position desc limit 1`;
    return await this.#ask(deployment, text);
  }

  async #ask(deployment: Deployment, text: string): Promise<string | undefined> {
    const rows = await deployment.query(text).catch(() => []);
    return z.array(z.object({ id: z.string().nullable() })).parse(rows)[0]?.id ?? undefined;
  }
}

const ENDS = [
  /nothing was done/i,
  /^Booked\b/,
  /booking reference/,
  /not book/i,
  /nothing (?:was|is) booked/i,
  /rejected|declined/i,
  /won't/i,
];
const nameCard = ({ place, message: { id } }: Card): string => `${place} ${id}`;
const isEnd = ({ text, buttons }: Shown): boolean => buttons.length === 0 && ENDS.some((end) => end.test(text));
