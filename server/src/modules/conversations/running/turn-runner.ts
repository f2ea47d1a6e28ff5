import { setTimeout as delay } from "node:timers/promises";
import { inTrace } from "../../../domain/trace.ts";
import type { JobQueue } from "../../../kernel/contracts/job.ts";
import type { News } from "../../../platform/database/news.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Principal } from "../../../ports/identity.ts";
import type { Log } from "../../../ports/log.ts";
import type { StoredEvent } from "../conversations.ts";
import type { Turns } from "../store.ts";
import { RUNNING_TURNS } from "../stores/store-leases.ts";
import type { LeasedTurn } from "../turns.ts";
import type { LiveTurns } from "./live-turns.ts";
import { LeaseLost, TurnJournal } from "./turn-journal.ts";

/** The number of turns that a process runs at once. */
const AT_ONCE = 200;
/**
 * A turn of a process that has died goes on once its lease is over. A process that stands still for longer than the difference
 * loses its turns, which is safe and costs a second answer of the model.
 */
const LEASE_MILLISECONDS = 1_400;
const TOUCH_MILLISECONDS = 300;

/** The caller of a turn that this process has just begun: of any other turn, the key is read again. */
export interface TurnCaller {
  readonly principal: Principal;
  confirmPrincipal(): Promise<Principal | undefined>;
}

export interface RunningTurn {
  readonly turn: LeasedTurn;
  readonly journal: TurnJournal;
  /** Aborted when the user stops the turn, or the process stops or has lost it. */
  readonly stop: AbortController;
  /** Undefined: the turn was begun by another process or earlier. */
  readonly caller: TurnCaller | undefined;
  /** True: an earlier attempt may have done some of it. */
  readonly isResumed: boolean;
}

interface RunnerOptions {
  turns: Turns;
  live: LiveTurns;
  news: Pick<News, "on">;
  clock: Clock;
  log: Log;
  workerId: string;
  /** Runs the turn to its end. */
  run(running: RunningTurn): Promise<void>;
}

/** A reason for which a turn ends before its model has answered. */
const STOPPED_BY_USER = "stopped by the user";
export const LEFT = "left to another process";

/**
 * Runs turns: those that this process begins, and those that others left. A lease is extended while the process lives; a turn
 * that does not get on ends by the limits of its own.
 */
export class TurnRunner {
  readonly queue: JobQueue = RUNNING_TURNS;
  readonly #options: RunnerOptions;
  readonly #running = new Map<string, { stop: AbortController; done: Promise<void> }>();
  #touching: NodeJS.Timeout | undefined;
  #lookTimer: NodeJS.Timeout | undefined;
  #taking: Promise<void> | undefined;
  #isAskedAgain = false;
  #isStopping = false;
  readonly #endNews: () => void;

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.#endNews = options.news.on("conversation_stop", (turnId) => this.stopTurn(turnId));
  }

  get workerId(): string {
    return this.#options.workerId;
  }

  leasedUntil(): Temporal.Instant {
    return this.#options.clock.now().add({ milliseconds: LEASE_MILLISECONDS });
  }

  /** Runs a turn that was stored just now. `line`: its first event. */
  begin(turn: LeasedTurn, line: string, caller: TurnCaller | undefined): void {
    const started: StoredEvent = { sequence: turn.lastSequence, turnId: turn.id, type: "turn_started", line };
    this.#options.live.begin(turn).add([started]);
    this.#start(turn, [started], { caller, isResumed: false });
  }

  stopTurn(turnId: string): void {
    this.#running.get(turnId)?.stop.abort(STOPPED_BY_USER);
  }

  /** Looks for turns that nobody runs. */
  wake(): void {
    if (this.#isStopping) return;
    if (this.#taking !== undefined) {
      this.#isAskedAgain = true;
      return;
    }
    this.#taking = inTrace(undefined, () => this.#take())
      .catch((err: unknown) => this.#options.log.warn({ err }, "turns could not be taken"))
      .then(() => {
        this.#taking = undefined;
        if (!this.#isAskedAgain) return;
        this.#isAskedAgain = false;
        this.wake();
      });
  }

  /** Leaves what runs to other processes, or to the next start. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#endNews();
    clearTimeout(this.#lookTimer);
    clearTimeout(this.#touching);
    await this.#taking;
    for (const { stop } of this.#running.values()) stop.abort(LEFT);
    await Promise.all([...this.#running.values()].map(({ done }) => done));
    await this.#options.turns.leave(this.#options.workerId);
  }

  async #take(): Promise<void> {
    const { turns, clock, workerId, live } = this.#options;
    const room = AT_ONCE - this.#running.size;
    if (room > 0) {
      const at = clock.now();
      const lease = { workerId, at, until: this.leasedUntil() };
      for (const turn of await turns.take(lease, { limit: room, except: [...this.#running.keys()] })) {
        const earlier = await this.#readEvents(turn);
        live.begin(turn).add(earlier);
        this.#start(turn, earlier, { caller: undefined, isResumed: earlier.length > 0 });
      }
    }
    // Notifications tell when a lease begins, not that it was extended.
    const due = await turns.findNextEnd(workerId);
    clearTimeout(this.#lookTimer);
    if (due === undefined || this.#isStopping) return;
    const wait = due.epochMilliseconds - clock.now().epochMilliseconds;
    this.#lookTimer = setTimeout(() => this.wake(), Math.max(wait, 50));
    this.#lookTimer.unref();
  }

  async #readEvents(turn: LeasedTurn): Promise<readonly StoredEvent[]> {
    const events: StoredEvent[] = [];
    for (let after = turn.afterSequence; ; ) {
      const found = await this.#options.turns.events(turn, turn.conversationId, { after, turnId: turn.id });
      const last = found?.events.at(-1);
      if (found === undefined || last === undefined) return events;
      events.push(...found.events);
      after = last.sequence;
    }
  }

  #start(
    turn: LeasedTurn,
    earlier: readonly StoredEvent[],
    { caller, isResumed }: Pick<RunningTurn, "caller" | "isResumed">,
  ): void {
    const { turns, clock, workerId, live } = this.#options;
    const stop = new AbortController();
    if (turn.isStopped) stop.abort(STOPPED_BY_USER);
    const journal = new TurnJournal(turn, earlier, {
      turns,
      clock,
      workerId,
      leaseMilliseconds: LEASE_MILLISECONDS,
      live: live.find(turn.id) ?? live.begin(turn),
      onStop: () => stop.abort(STOPPED_BY_USER),
    });
    const { tenantId, environment, conversationId } = turn;
    const running = { turn, journal, stop, caller, isResumed };
    const done = inTrace(turn.traceId, () => this.#run(running), { tenantId, environment, conversationId });
    this.#running.set(turn.id, { stop, done });
    this.#touchSoon();
  }

  async #run(running: RunningTurn): Promise<void> {
    const { log, live } = this.#options;
    const { turn, stop } = running;
    let isComplete = false;
    try {
      await this.#options.run(running);
      isComplete = true;
    } catch (err) {
      if (err instanceof LeaseLost) log.warn({ turnId: turn.id }, "another process has taken a turn over");
      else if (stop.signal.reason !== LEFT)
        log.error({ err, turnId: turn.id }, "a turn could not go on and is tried again");
      // So that a fault that comes again does not make the processes spin.
      if (stop.signal.reason !== LEFT) await delay(LEASE_MILLISECONDS / 4, undefined, { ref: false });
    } finally {
      this.#running.delete(turn.id);
      live.end(turn.id, isComplete);
    }
  }

  #touchSoon(): void {
    if (this.#touching !== undefined || this.#isStopping) return;
    this.#touching = setTimeout(() => void this.#touch(), TOUCH_MILLISECONDS);
    this.#touching.unref();
  }

  async #touch(): Promise<void> {
    const ids = [...this.#running.keys()];
    if (ids.length > 0) {
      try {
        const until = this.leasedUntil();
        const mine = await this.#options.turns.touch({ workerId: this.#options.workerId, until }, ids);
        for (const id of ids) {
          const running = this.#running.get(id);
          const found = mine.get(id);
          if (found === undefined) running?.stop.abort(LEFT);
          else if (found.isStopped) running?.stop.abort(STOPPED_BY_USER);
        }
      } catch (err) {
        this.#options.log.warn({ err }, "the leases of turns could not be extended");
      }
    }
    this.#touching = undefined;
    if (this.#running.size > 0) this.#touchSoon();
  }
}
