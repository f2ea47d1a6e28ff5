import type { Pool } from "pg";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import type { News } from "../database/news.ts";

/** Stored work that waits in a table. */
export interface Queue {
  /** The topic of its notifications, whose text is the time from which a row is due, in milliseconds; 0: now. */
  readonly name: string;
  /** SQL of the earliest time at which a row is due, or null. `$1` is the time now. */
  readonly earliest?: string;
}

/** `earliest` for work that is due as soon as this SQL selects a row. */
export const dueIfAny = (select: string): string => `select to_timestamp(0) where exists (${select})`;

interface Watched {
  queue: Queue;
  wake(): void;
  /** When its earliest known row is due. */
  dueMilliseconds?: number | undefined;
}

/** Between two looks at all queues: the first after something was found, doubled up to the longest while nothing is. */
const FIRST_LOOK_MILLISECONDS = 1_000;
const LONGEST_LOOK_MILLISECONDS = 5_000;

/**
 * Wakes the work of queues: at once by notification, by a timer set for the earliest row that is due later, and by one
 * statement over all queues that finds what notifications did not tell.
 */
export class QueueWatch {
  readonly #options: { pool: Pool; news: News; clock: Clock; log: Pick<Log, "warn"> };
  readonly #watched: Watched[] = [];
  readonly #ends: (() => void)[] = [];
  #pauseMilliseconds = FIRST_LOOK_MILLISECONDS;
  #nextLook = 0;
  #looking: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isRunning = false;
  #isFailing = false;

  constructor(options: { pool: Pool; news: News; clock: Clock; log: Pick<Log, "warn"> }) {
    this.#options = options;
  }

  add(queue: Queue, wake: () => void): void {
    const watched: Watched = { queue, wake };
    this.#watched.push(watched);
    this.#ends.push(this.#options.news.on(queue.name, (text) => this.#tell(watched, Number(text))));
  }

  start(): void {
    this.#isRunning = true;
    this.#ends.push(this.#options.news.onBegin(() => this.#look()));
    this.#look();
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    for (const end of this.#ends) end();
    clearTimeout(this.#timer);
    await this.#looking;
  }

  #tell(watched: Watched, dueMilliseconds: number): void {
    if (dueMilliseconds <= this.#now()) {
      watched.wake();
      return;
    }
    watched.dueMilliseconds = Math.min(watched.dueMilliseconds ?? dueMilliseconds, dueMilliseconds);
    this.#setTimer();
  }

  #look(): void {
    this.#looking ??= this.#lookOnce()
      .catch((err: unknown) => {
        if (!this.#isFailing) this.#options.log.warn({ err }, "queues cannot be looked at");
        this.#isFailing = true;
        this.#pauseMilliseconds = FIRST_LOOK_MILLISECONDS;
      })
      .then(() => {
        this.#looking = undefined;
        this.#nextLook = performance.now() + this.#pauseMilliseconds;
        this.#setTimer();
      });
  }

  async #lookOnce(): Promise<void> {
    const { pool, news, clock } = this.#options;
    const asked = this.#watched.filter(({ queue }) => queue.earliest !== undefined);
    if (asked.length === 0) return;
    const now = clock.now();
    // A row that became due meanwhile is told by a notification, whose time must not be forgotten.
    for (const watched of asked) watched.dueMilliseconds = undefined;
    const { rows } = await pool.query<Record<string, Temporal.Instant | null>>({
      name: "earliest-due",
      text: `select $1::timestamptz${asked.map(({ queue }, index) => `, (${queue.earliest}) as due_${index}`).join("")}`,
      values: [now.toString()],
    });
    const [found = {}] = rows;
    this.#isFailing = false;
    let isAnyDue = false;
    for (const [index, watched] of asked.entries()) {
      const due = found[`due_${index}`]?.epochMilliseconds;
      if (due === undefined) continue;
      isAnyDue ||= due <= now.epochMilliseconds;
      this.#tell(watched, due);
    }
    this.#pauseMilliseconds =
      isAnyDue || !news.isTold()
        ? FIRST_LOOK_MILLISECONDS
        : Math.min(this.#pauseMilliseconds * 2, LONGEST_LOOK_MILLISECONDS);
  }

  #setTimer(): void {
    clearTimeout(this.#timer);
    if (!this.#isRunning) return;
    const now = this.#now();
    const dues = this.#watched.flatMap(({ dueMilliseconds = [] }) => dueMilliseconds);
    const wait = Math.min(this.#nextLook - performance.now(), ...dues.map((due) => due - now));
    this.#timer = setTimeout(() => this.#wakeDue(), Math.max(wait, 0));
    this.#timer.unref();
  }

  #wakeDue(): void {
    const now = this.#now();
    for (const watched of this.#watched) {
      if (watched.dueMilliseconds === undefined || watched.dueMilliseconds > now) continue;
      watched.dueMilliseconds = undefined;
      watched.wake();
    }
    if (performance.now() >= this.#nextLook) this.#look();
    else this.#setTimer();
  }

  #now(): number {
    return this.#options.clock.now().epochMilliseconds;
  }
}
