import { createHmac } from "node:crypto";
import type { Clock } from "../../../ports/clock.ts";
import type { EventType, StoredEvent } from "../conversations.ts";
import { storableText } from "../storable.ts";
import type { Turns } from "../store.ts";
import type { CallChange, NewCall, TurnChanges, TurnEnd } from "../store-write.ts";
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

interface EndedTurn extends Omit<TurnEnd, "reply"> {
  readonly toolCalls: readonly unknown[];
  readonly meterIds: readonly string[];
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
  #sequence: number;
  #reply = "";
  #text = "";
  #events: StoredEvent[] = [];
  #steps: StoredStep[] = [];
  #newCalls: NewCall[] = [];
  #callChanges: CallChange[] = [];
  #isAnswer = false;
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
      if (event.type === "reply_delta") this.#reply += readText(event.line);
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
    this.#callChanges.push(change);
  }

  markAsAnswer(): void {
    this.#isAnswer = true;
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

  async end({ toolCalls, meterIds, signingSecret, ...end }: EndedTurn): Promise<void> {
    this.#closeText();
    this.#end = { ...end, reply: this.#reply };
    const { traceId } = this.#turn;
    const seconds = Math.floor(this.#options.clock.now().epochMilliseconds / 1_000);
    const mac = createHmac("sha256", signingSecret).update(`${seconds}.${traceId}.`);
    for (const line of this.#lines) mac.update(line).update("\n");
    this.#add("turn_ended", {
      turnId: this.#turn.id,
      status: end.status,
      reply: this.#reply,
      toolCalls,
      traceId,
      meterIds,
      priceMicroUsdc: end.price.toString(),
      model: end.model,
      ...(end.problem === undefined ? {} : { problem: end.problem }),
      signature: `t=${seconds},v1=${mac.digest("hex")}`,
    });
    await this.flush();
  }

  #add(type: EventType, body: Readonly<Record<string, unknown>>): void {
    this.#sequence += 1;
    const at = this.#options.clock.now().toString();
    const line = JSON.stringify({ type, sequence: this.#sequence, at, ...body });
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
      end: this.#end,
    };
    this.#events = [];
    this.#steps = [];
    this.#newCalls = [];
    this.#callChanges = [];
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

function readText(line: string): string {
  const event: unknown = JSON.parse(line);
  return typeof event === "object" && event !== null && "text" in event && typeof event.text === "string"
    ? event.text
    : "";
}
