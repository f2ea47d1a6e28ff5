import { createHmac } from "node:crypto";
import { z } from "zod";
import type { Micro } from "../../../domain/money.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { EventType, StoredEvent } from "../conversations.ts";
import type { Turns } from "../store.ts";
import { storableText } from "../stores/storable.ts";
import type {
  AnsweredConfirmation,
  CallChange,
  NewCall,
  NewConfirmation,
  TurnChanges,
  TurnEnd,
} from "../stores/store-write.ts";
import type { LeasedTurn, StoredStep } from "../turns.ts";
import type { LiveTurn } from "./live-turns.ts";

/** Text that streams in is stored and shown at most this often. */
const TEXT_MILLISECONDS = 40;

/** Another process has taken the turn over: nothing more may be done for it here. */
export class LeaseLost extends Error {}

interface JournalOptions {
  turns: Pick<Turns, "write">;
  clock: Clock;
  workerId: string;
  leaseMilliseconds: number;
  live: LiveTurn;
  /** Called when the store says that the user has stopped the turn. */
  onStop(): void;
}

/** A call that ended in the turn, as its event tells. */
const EndedCall = z.looseObject({
  type: z.literal("tool_result"),
  toolCallId: z.string(),
  tool: z.string(),
  outcome: z.string(),
  meterId: z.string().exactOptional(),
  priceMicroUsdc: z.string().exactOptional(),
});
const Delta = z.looseObject({ type: z.literal("reply_delta"), text: z.string() });

interface EndedTurn extends Omit<TurnEnd, "reply" | "price"> {
  /** Signs the events; undefined: the key is gone. */
  readonly signingSecret: string;
}

/**
 * Numbers and stores what a turn does, in order. An event is shown once it is stored; what comes in while a statement runs is
 * stored by the next one.
 */
export class TurnJournal {
  readonly #options: JournalOptions;
  readonly #turn: LeasedTurn;
  readonly #lines: string[] = [];
  readonly #endedCalls: z.output<typeof EndedCall>[] = [];
  #sequence: number;
  #reply = "";
  #text = "";
  #events: StoredEvent[] = [];
  #steps: StoredStep[] = [];
  #newCalls: NewCall[] = [];
  #callChanges: CallChange[] = [];
  #isAnswer = false;
  #answered: AnsweredConfirmation | undefined;
  #confirmation: NewConfirmation | undefined;
  #end: TurnEnd | undefined;
  #writing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #failure: { error: unknown } | undefined;

  /** `earlier`: the turn's stored events. */
  constructor(turn: LeasedTurn, earlier: readonly StoredEvent[], options: JournalOptions) {
    this.#turn = turn;
    this.#options = options;
    this.#sequence = turn.lastSequence;
    for (const event of earlier) {
      this.#lines.push(event.line);
      if (event.type === "reply_delta") this.#reply += Delta.parse(JSON.parse(event.line)).text;
      if (event.type === "tool_result") this.#endedCalls.push(EndedCall.parse(JSON.parse(event.line)));
    }
  }

  /** All text that was shown so far. */
  get reply(): string {
    return this.#reply + this.#text;
  }

  get hasStarted(): boolean {
    return this.#lines.length > 0;
  }

  emit(type: EventType, body: Readonly<Record<string, unknown>>): void {
    this.#closeText();
    this.#add(type, body);
  }

  text(text: string): void {
    this.#text += storableText(text);
    this.#timer ??= setTimeout(() => void this.flush().catch(() => undefined), TEXT_MILLISECONDS);
  }

  endStep(step: StoredStep): void {
    this.#steps.push(step);
  }

  storeCall(call: NewCall): void {
    this.#newCalls.push(call);
  }

  changeCall(change: CallChange): void {
    this.#callChanges = [...this.#callChanges.filter(({ id }) => id !== change.id), change];
  }

  /** The turn's message is no text for a model. */
  markAsAnswer(): void {
    this.#isAnswer = true;
  }

  answerConfirmation(answered: AnsweredConfirmation): void {
    this.#answered = answered;
  }

  /** Stored with the end of the turn, so that both are there or neither. */
  askConfirmation(confirmation: NewConfirmation): void {
    this.#confirmation = confirmation;
  }

  /** Resolves when everything so far is stored and shown. Throws LeaseLost. */
  async flush(): Promise<void> {
    this.#closeText();
    while (this.#failure === undefined && (this.#writing !== undefined || this.#hasChanges())) {
      this.#writing ??= this.#write().finally(() => {
        this.#writing = undefined;
      });
      await this.#writing;
    }
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** The cost of the calls so far. */
  get price(): Micro {
    return this.#endedCalls.reduce((sum, { priceMicroUsdc = "0" }) => sum + BigInt(priceMicroUsdc), 0n);
  }

  async end({ signingSecret, ...end }: EndedTurn): Promise<void> {
    this.#closeText();
    const { price } = this;
    this.#end = { ...end, price, reply: this.#reply };
    const { traceId } = this.#turn;
    const seconds = Math.floor(this.#options.clock.now().epochMilliseconds / 1_000);
    const mac = createHmac("sha256", signingSecret).update(`${seconds}.${traceId}.`);
    for (const line of this.#lines) mac.update(line).update("\n");
    this.#add("turn_ended", {
      turnId: this.#turn.id,
      status: end.status,
      reply: this.#reply,
      toolCalls: this.#endedCalls.map(({ toolCallId, tool, outcome, meterId, priceMicroUsdc }) => ({
        toolCallId,
        tool,
        outcome,
        ...(meterId === undefined ? {} : { meterId }),
        ...(priceMicroUsdc === undefined ? {} : { priceMicroUsdc }),
      })),
      traceId,
      meterIds: this.#endedCalls.flatMap(({ meterId = [] }) => meterId),
      priceMicroUsdc: price.toString(),
      model: end.model,
      ...(end.problem === undefined ? {} : { problem: end.problem }),
      signature: `t=${seconds},v1=${mac.digest("hex")}`,
    });
    await this.flush();
  }

  #add(type: EventType, body: Readonly<Record<string, unknown>>): void {
    this.#sequence += 1;
    const at = this.#options.clock.now().toString();
    const event = { type, sequence: this.#sequence, at, ...body };
    const line = JSON.stringify(event);
    const ended = type === "tool_result" ? EndedCall.safeParse(event).data : undefined;
    if (ended !== undefined) this.#endedCalls.push(ended);
    this.#lines.push(line);
    this.#events.push({ sequence: this.#sequence, turnId: this.#turn.id, type, line });
  }

  #closeText(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#text === "") return;
    const text = this.#text;
    this.#reply += text;
    this.#text = "";
    this.#add("reply_delta", { text });
  }

  #hasChanges(): boolean {
    return (
      this.#events.length + this.#steps.length + this.#newCalls.length + this.#callChanges.length > 0 ||
      this.#answered !== undefined ||
      this.#end !== undefined
    );
  }

  async #write(): Promise<void> {
    const { turns, clock, workerId, leaseMilliseconds, live, onStop } = this.#options;
    const now = clock.now();
    const changes: TurnChanges = {
      workerId,
      at: now,
      leasedUntil: now.add({ milliseconds: leaseMilliseconds }),
      lastSequence: this.#sequence,
      events: this.#events,
      steps: this.#steps,
      newCalls: this.#newCalls,
      callChanges: this.#callChanges,
      isAnswer: this.#isAnswer,
      answered: this.#answered,
      confirmation: this.#end === undefined ? undefined : this.#confirmation,
      end: this.#end,
    };
    this.#events = [];
    this.#steps = [];
    this.#newCalls = [];
    this.#callChanges = [];
    this.#answered = undefined;
    this.#end = undefined;
    try {
      const written = await turns.write(this.#turn, changes);
      if (written === undefined) throw new LeaseLost("Another process runs the turn.");
      live.add(changes.events);
      if (written.isStopped) onStop();
    } catch (error) {
      this.#failure = { error };
    }
  }
}
