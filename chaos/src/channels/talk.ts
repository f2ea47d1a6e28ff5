import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { describeLoss } from "../client.ts";
import type { Deployment } from "../deployment.ts";
import type { History } from "../history.ts";
import type { Random } from "../random.ts";
import { type Dialogue, drawDialogue } from "./dialogues.ts";
import { APPROVER, direct, type Message, SHARED, TRAVELER, type Workspace } from "./workspace.ts";

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
  isOver: boolean;
  /** The simulator was killed meanwhile, so that nobody can read how it went on. */
  isForgotten: boolean;
  failure: string | undefined;
}

/** The simulator does not know any more what was said. */
class ForgottenError extends Error {}

interface TalkOptions {
  deployment: Deployment;
  workspace: Workspace;
  tenantId: string;
  needsApproval: boolean;
  /** Decides about an approval over the API. */
  decide(approvalId: string): Promise<void>;
  history: History;
}

/** The traveler and the approver of one tenant, who have one dialogue after the other. */
export class Talk {
  readonly workspace: Workspace;
  readonly played: Played[] = [];
  /** By text: how often the traveler has said it; an answer by buttons is said once, however many are pressed. */
  readonly said = new Map<string, number>();
  /** The simulator knows nothing from before this time. */
  forgottenUntil = 0;
  repeated = 0;
  readonly #options: TalkOptions;
  /** The time of the last thing that the traveler did, by the simulator's clock. */
  #since = "";
  /** The same of the dialogue's beginning. */
  #begun = "";

  constructor(options: TalkOptions) {
    this.#options = options;
    this.workspace = options.workspace;
  }

  get tenantId(): string {
    return this.#options.tenantId;
  }

  /** Notices whether the simulator still knows what was said last. */
  async look(signal: AbortSignal): Promise<void> {
    await this.workspace.reopen();
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
      ...{ conversationId: undefined, isOver: false, isForgotten: false, failure: undefined },
    };
    this.played.push(played);
    try {
      await this.#converse(played, signal);
      played.isOver = true;
    } catch (error) {
      if (error instanceof ForgottenError) played.isForgotten = true;
      else played.failure = error instanceof Error ? error.message : String(error);
    }
  }

  async #converse(played: Played, signal: AbortSignal): Promise<void> {
    const { dialogue } = played;
    await this.#say("new", signal, ({ text }) => text.includes("a new conversation"));
    this.#begun = this.#since;
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

  /** By buttons, or in words. */
  async #answer({ answers }: Dialogue, question: Message, signal: AbortSignal): Promise<Message> {
    if (typeof answers === "string") return await this.#say(answers, signal);
    this.#count(answers.join(" and ").toLowerCase());
    this.#since = question.ts;
    return await this.#untilAnswered(
      signal,
      () => true,
      async () => {
        await Promise.all(answers.map((label) => this.workspace.press(TRAVELER, direct(TRAVELER), question, label)));
      },
    );
  }

  /** The reply comes by itself once it is decided. */
  async #decide({ decision }: Dialogue, signal: AbortSignal): Promise<Message> {
    const find = async (place: string) =>
      (await this.#read(signal))
        .get(place)
        ?.findLast(({ ts, buttons }) => ts > this.#begun && buttons.some(({ label }) => label === "Approve"));
    const own = await this.#until(() => find(direct(APPROVER)), signal, "the approver gets a card");
    const shared = await this.#until(() => find(SHARED), signal, "the approvers' channel gets a card");
    const places = [
      { place: direct(APPROVER), card: own },
      { place: SHARED, card: shared },
    ] as const;
    const last = (await this.#read(signal)).get(direct(TRAVELER))?.at(-1)?.ts ?? "";
    this.#since = last;
    const presses = decision === "crowd" || decision === "mixed crowd" ? CROWD : 1;
    return await this.#untilAnswered(
      signal,
      () => true,
      async () => {
        const approvalId = decision === "by API" ? await this.#findApproval() : undefined;
        const byApi = approvalId === undefined ? [] : [this.#options.decide(approvalId)];
        const labels = Array.from({ length: presses }, (_, index) =>
          decision === "reject" || (decision === "mixed crowd" && index % 2 === 0) ? "Reject" : "Approve",
        );
        const pressed = labels.map((label, index) => {
          const { place, card } = places[index % 2] ?? places[0];
          return this.workspace.press(APPROVER, place, card, label);
        });
        await Promise.allSettled([...byApi, ...pressed]);
      },
    );
  }

  async #say(text: string, signal: AbortSignal, fits: (message: Message) => boolean = () => true): Promise<Message> {
    this.#since = (await this.#read(signal)).get(direct(TRAVELER))?.at(-1)?.ts ?? "";
    return await this.#untilAnswered(signal, fits, async () => {
      this.#count(text);
      await this.workspace.say(TRAVELER, text);
    });
  }

  /** The next message of the app to the traveler. What was lost with a process that took it is done once more. */
  async #untilAnswered(
    signal: AbortSignal,
    fits: (message: Message) => boolean,
    act: () => Promise<void>,
  ): Promise<Message> {
    for (;;) {
      await act().catch((error: unknown) => this.#lose(error, signal));
      const deadline = performance.now() + PATIENCE_MILLISECONDS;
      while (performance.now() < deadline) {
        const messages = (await this.#read(signal)).get(direct(TRAVELER)) ?? [];
        const reply = messages.find(
          (one) => one.userId === null && one.onlyFor === null && one.ts > this.#since && fits(one),
        );
        if (reply !== undefined) {
          this.#acknowledge();
          return reply;
        }
        await delay(LOOK_MILLISECONDS, undefined, { signal });
      }
      this.repeated += 1;
    }
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
  async #read(signal: AbortSignal): Promise<ReadonlyMap<string, readonly Message[]>> {
    for (;;) {
      signal.throwIfAborted();
      try {
        const places = await this.workspace.read();
        const messages = places.get(direct(TRAVELER)) ?? [];
        const isThere = this.#since === "" || messages.some(({ ts }) => ts === this.#since);
        if (isThere) return places;
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
    await this.workspace.reopen();
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
    const { deployment, workspace } = this.#options;
    const text = `select conversation_id as id from channel_person
      where channel_id = '${workspace.channelId}' and external_id = '${TRAVELER}'`;
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
const isEnd = ({ text, buttons }: Message): boolean => buttons.length === 0 && ENDS.some((end) => end.test(text));
