import { z } from "zod";

const Event = z.discriminatedUnion("type", [
  z.object({ type: z.literal("turn_started"), conversationId: z.string() }),
  z.object({ type: z.literal("reply_delta"), text: z.string() }),
  z.object({ type: z.literal("tool_call"), toolCallId: z.string(), tool: z.string(), args: z.unknown() }),
  z.object({ type: z.literal("tool_result"), toolCallId: z.string(), tool: z.string(), outcome: z.string() }),
  z.looseObject({ type: z.literal("confirmation_requested"), tool: z.string() }),
  z.object({ type: z.literal("approval_requested"), tool: z.string() }),
  z.object({ type: z.literal("question"), slot: z.string() }),
  z.object({ type: z.literal("turn_ended"), status: z.string(), reply: z.string() }),
]);
type Event = z.infer<typeof Event>;

export interface Turn {
  readonly said: string;
  readonly reply: string;
  readonly status: string;
  /** The slot that the turn asked for. */
  readonly question: string | undefined;
}

interface Call {
  readonly tool: string;
  args: unknown;
  outcome: string;
}

/** Says something and returns the turn's events as they were sent. */
export type Say = (message: { text: string; locale: string; conversationId?: string }) => Promise<readonly string[]>;

/** A conversation, and what became of it. */
export class Talk {
  readonly turns: Turn[] = [];
  /** All events as they came. */
  readonly lines: string[] = [];
  /** The confirmations that were asked for, as they were shown. */
  readonly confirmations: unknown[] = [];
  readonly #say: Say;
  readonly #locale: string;
  readonly #calls = new Map<string, Call>();
  #conversationId: string | undefined;

  constructor(say: Say, locale: string) {
    this.#say = say;
    this.#locale = locale;
  }

  get calls(): readonly Call[] {
    return [...this.#calls.values()];
  }

  async say(said: string): Promise<Turn> {
    const place = this.#conversationId === undefined ? {} : { conversationId: this.#conversationId };
    const lines = await this.#say({ text: said, locale: this.#locale, ...place });
    this.lines.push(...lines);
    const events = lines.map((line) => Event.parse(JSON.parse(line)));
    for (const event of events) this.#note(event);
    const ended = events.at(-1);
    if (ended?.type !== "turn_ended") throw new Error(`the turn's last event is ${ended?.type}`);
    const question = events.findLast((event) => event.type === "question")?.slot;
    const turn = { said, reply: ended.reply, status: ended.status, question };
    this.turns.push(turn);
    return turn;
  }

  #note(event: Event): void {
    if (event.type === "turn_started") this.#conversationId = event.conversationId;
    if (event.type === "confirmation_requested") this.confirmations.push(event);
    if (event.type === "tool_call") {
      this.#calls.set(event.toolCallId, { tool: event.tool, args: event.args, outcome: "open" });
    }
    if (event.type === "tool_result") {
      const call = this.#calls.get(event.toolCallId) ?? { tool: event.tool, args: {}, outcome: "open" };
      this.#calls.set(event.toolCallId, { ...call, outcome: event.outcome });
    }
  }
}
