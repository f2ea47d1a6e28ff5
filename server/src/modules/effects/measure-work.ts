import type { Gauge, GaugeValue } from "../../kernel/contracts/module.ts";
import type { WorkTable } from "../../kernel/contracts/work-table.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { Clock } from "../../ports/clock.ts";
import { type OpenWork, readOpenWork } from "./store-open-work.ts";

/** Work that waits longer is unlikely to finish by itself. */
const STUCK_AFTER = { minutes: 10 };

/** Unfinished work, as last measured by a job: metrics are read often and must not cost queries. */
export class WorkMeter {
  readonly #db: Queryable;
  readonly #clock: Clock;
  readonly #tables: readonly WorkTable[];
  #latest: readonly OpenWork[] = [];

  constructor(db: Queryable, clock: Clock, tables: readonly WorkTable[]) {
    this.#db = db;
    this.#clock = clock;
    this.#tables = tables;
  }

  async measure(): Promise<readonly OpenWork[]> {
    const stuckBefore = this.#clock.now().subtract(STUCK_AFTER);
    this.#latest = await readOpenWork(this.#db, this.#tables, stuckBefore);
    return this.#latest;
  }

  gauges(): readonly Gauge[] {
    const gauge = (name: string, help: string, pickValue: (work: OpenWork) => number): Gauge => ({
      name,
      help,
      labelNames: ["kind"],
      read: (): readonly GaugeValue[] =>
        this.#latest.map((work) => ({ labels: { kind: work.kind }, value: pickValue(work) })),
    });
    return [
      gauge("wayfare_effects_open", "Stored work that is not finished yet.", ({ count }) => count),
      gauge(
        "wayfare_effects_oldest_seconds",
        "How long the oldest unfinished work has waited; 0 if there is none.",
        (work) => this.#measureAge(work),
      ),
      gauge(
        "wayfare_effects_stuck",
        "How much unfinished work has waited for more than ten minutes.",
        ({ stuck }) => stuck,
      ),
    ];
  }

  #measureAge({ oldestSince }: OpenWork): number {
    return oldestSince === undefined ? 0 : Math.max(0, this.#clock.now().since(oldestSince).total("seconds"));
  }
}
