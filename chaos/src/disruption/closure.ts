import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import type { Deployment } from "../deployment.ts";
import type { History } from "../history.ts";
import type { Random } from "../random.ts";
import { type DisruptionBooks, type ReplanRun, readDisruptionBooks } from "./books.ts";
import { CpuMeter } from "./cpu-meter.ts";
import { buyFlight, HUB, type Passenger } from "./passengers.ts";

const LOOK_MILLISECONDS = 500;
const CLOSURE_MILLISECONDS = 240_000;
/** As long as it may take at worst, so that a slow run shows how slow it is. */
const PATIENCE_MILLISECONDS = 400_000;
const DECIDE_MILLISECONDS = 60_000;
const DECIDE_AT_ONCE = 8;
const MOST_TRIES = 40;
const TRY_AGAIN_MILLISECONDS = 250;
/** Travelers who buy another flight themselves, all on one day, and want the first seat that is free. */
const REBOOK = 24;
/** By so many cancellations the airline gives a credit in place of the money. */
const CREDITS = 12;
const LATER_MINUTES = 300;

/** Several at one moment are one decision, whichever it is. */
const ANSWERS: readonly [readonly string[], ...(readonly string[])[]] = [
  ["refuse"],
  ["refuse", "refuse"],
  ["refuse", "cancelled"],
];

const Changes = z.object({ airline_initiated_changes: z.array(z.object({ id: z.string() })) });

interface ClosureOptions {
  readonly deployment: Deployment;
  readonly history: History;
  readonly supplierUrl: string;
  readonly passengers: readonly Passenger[];
  /** By address, the ids of the mails that were accepted. */
  listMails(): ReadonlyMap<string, readonly string[]>;
}

/** The airport closes, everybody is told, and some of them decide. */
export class Closure {
  readonly bought = new Set<string>();
  /** Seconds from each disruption until the last of the travelers was told and held a decision. */
  readonly seconds: number[] = [];
  /** The same of CPU time. */
  readonly cpuSeconds: number[] = [];
  readonly #options: ClosureOptions;
  /** Travelers who were told and hold a decision about the disruption at hand. */
  #helped = 0;
  #isOver = true;

  constructor(options: ClosureOptions) {
    this.#options = options;
  }

  get helped(): number {
    return this.#helped;
  }

  /** A kill matters from the first traveler to the last; resolves when so many of them are helped, or all is over. */
  async untilHelped(count: number): Promise<void> {
    const deadline = performance.now() + CLOSURE_MILLISECONDS;
    while (this.#helped < count && performance.now() < deadline) {
      if (this.#isOver && this.seconds.length > 0) return;
      await delay(LOOK_MILLISECONDS / 10);
    }
  }

  /** The first time the airport closes; later the airlines move the flights of those who still have them. */
  async run(round: number, random: Random): Promise<void> {
    this.#helped = 0;
    this.#isOver = false;
    try {
      const begun = performance.now();
      const meter = new CpuMeter(this.#options.deployment.dataDir);
      const changed = round === 1 ? await this.#closeAirport() : await this.#moveFlights();
      await this.#untilAllAreHelped(new Set(changed), meter);
      this.cpuSeconds.push(meter.seconds);
      this.seconds.push((performance.now() - begun) / 1_000);
      await this.#decide(new Set(changed), random);
    } finally {
      this.#isOver = true;
    }
  }

  async #closeAirport(): Promise<readonly string[]> {
    const answer = Changes.parse(await this.#control("airport_closures", { airport: HUB }));
    return answer.airline_initiated_changes.map(({ id }) => id);
  }

  async #moveFlights(): Promise<readonly string[]> {
    const made: string[] = [];
    for (const { orderId } of this.#options.passengers) {
      const body = { order_id: orderId, slice: 0, shift_minutes: LATER_MINUTES };
      const Change = z.object({ airline_initiated_change: z.object({ id: z.string() }) });
      const changed = Change.safeParse(await this.#control("schedule_changes", body).catch(() => undefined));
      if (changed.success) made.push(changed.data.airline_initiated_change.id);
    }
    return made;
  }

  async #untilAllAreHelped(changed: ReadonlySet<string>, meter: CpuMeter): Promise<void> {
    const deadline = performance.now() + PATIENCE_MILLISECONDS;
    while (performance.now() < deadline) {
      meter.read();
      const books = await readDisruptionBooks(this.#options.deployment).catch(() => undefined);
      if (books !== undefined) {
        const before = this.#helped;
        this.#helped = this.#count(books, changed);
        if (this.#helped > before) this.#acknowledge();
        if (this.#helped >= changed.size) return;
      }
      await delay(LOOK_MILLISECONDS);
    }
  }

  #count({ runs }: DisruptionBooks, changed: ReadonlySet<string>): number {
    const { passengers } = this.#options;
    const mails = this.#options.listMails();
    const told = new Set(passengers.filter(({ email }) => mails.get(email)?.length).map(({ orderId }) => orderId));
    return runs.filter(
      ({ change_id, order_id, session_id, end }) =>
        changed.has(change_id) && told.has(order_id) && (session_id !== null || end !== null),
    ).length;
  }

  #acknowledge(): void {
    const request = { tool: "a traveler is helped", args: {} };
    const answer = { result: undefined, meterId: undefined, priceMicroUsdc: 0n, replayed: false, signed: true };
    this.#options.history.record(request, { kind: "ok", ...answer });
  }

  /** Half of them give their flights back, several times at one moment; some then buy another flight; the rest wait. */
  async #decide(changed: ReadonlySet<string>, random: Random): Promise<void> {
    const { deployment, passengers } = this.#options;
    await this.#control("scenarios", {
      ...{ match: { path: "/air/order_cancellations", method: "POST" }, fault: "refund_as_credit" },
      ...{ times: CREDITS, delayMs: 0 },
    });
    const { runs } = await readDisruptionBooks(deployment);
    const open = runs.filter(({ change_id, session_id }) => changed.has(change_id) && session_id !== null);
    const deciding = random.shuffle(open).slice(0, Math.ceil(open.length / 2));
    const byOrder = new Map(passengers.map((passenger) => [passenger.orderId, passenger]));
    const rebooking = new Set(deciding.slice(0, REBOOK).map(({ id }) => id));
    const work = async () => {
      for (let run = deciding.pop(); run !== undefined; run = deciding.pop()) {
        const passenger = byOrder.get(run.order_id);
        if (passenger === undefined) continue;
        const own = random.fork(run.id);
        await this.#answer(passenger, run, own);
        if (rebooking.has(run.id)) await this.#rebook(passenger, own);
      }
    };
    await Promise.all(Array.from({ length: DECIDE_AT_ONCE }, work));
  }

  async #answer({ client, userId }: Passenger, { session_id: sessionId }: ReplanRun, random: Random): Promise<void> {
    const statuses = random.pick(ANSWERS);
    await Promise.all(
      statuses.map(async (status) => {
        const request = { tool: "resume_run", args: { sessionId, resolution: { status } }, userId };
        for (let tries = 0; tries < MOST_TRIES; tries += 1) {
          const answer = await client.call(request, AbortSignal.timeout(DECIDE_MILLISECONDS));
          if (answer.kind === "ok" || (answer.kind === "refused" && !answer.retryable)) return;
          await delay(TRY_AGAIN_MILLISECONDS);
        }
      }),
    );
  }

  /** All want the same way on the same day, and its first seat. */
  async #rebook({ client, userId, day }: Passenger, random: Random): Promise<void> {
    const [first] = this.#options.passengers;
    const departureDate = Temporal.PlainDate.from(first?.day ?? day)
      .add({ days: 120 })
      .toString();
    const way = { origin: "LGW", destination: "AMS", departureDate };
    const orderId = await buyFlight(client, way, userId, random, true);
    if (orderId !== undefined) this.bought.add(orderId);
  }

  async #control(path: string, body: object): Promise<unknown> {
    const response = await fetch(`${this.#options.supplierUrl}/_sandbox/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(CLOSURE_MILLISECONDS),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path} was answered ${response.status}: ${text}`);
    return JSON.parse(text);
  }
}
