import type { Log } from "../../ports/log.ts";
import { creditRefunds, type IssuePorts } from "./credit-refunds.ts";

const MOST_AT_ONCE = 100;
/** A refund is credited within a minute; looking back this far covers times when the service was down. */
const LOOK_BACK = Temporal.Duration.from({ hours: 60 * 24 });
/** A refused credit note is retried after this time, and at once when its invoice is requested. */
const WAIT = Temporal.Duration.from({ hours: 1 });
const MOST_WAITING = 10_000;

/** Issues credit notes that nobody requests. A refused one does not block the others. */
export class CreditRefundsJob {
  readonly #ports: IssuePorts & { log: Pick<Log, "error"> };
  /** Bookings with a refused credit note, by the time of the next try; the earliest is first. */
  readonly #waiting = new Map<string, Temporal.Instant>();

  constructor(ports: IssuePorts & { log: Pick<Log, "error"> }) {
    this.#ports = ports;
  }

  async run(): Promise<void> {
    const { stores, clock, log } = this.#ports;
    const now = clock.now();
    this.#forgetUntil(now);
    const without = [...this.#waiting.keys()];
    const due = await stores.invoices.listToCredit({ since: now.subtract(LOOK_BACK), without, limit: MOST_AT_ONCE });
    for (const { bookingId, tenantId, environment } of due) {
      const { waiting } = await creditRefunds(this.#ports, { tenantId, environment }, bookingId);
      if (waiting === undefined) continue;
      if (waiting.code === "e_invoice_refused") this.#waiting.set(bookingId, now.add(WAIT));
      log.error({ bookingId, tenantId, network: environment, ...waiting }, "a credit note waits for what it must say");
    }
  }

  #forgetUntil(now: Temporal.Instant): void {
    for (const [bookingId, until] of this.#waiting) {
      if (this.#waiting.size <= MOST_WAITING && Temporal.Instant.compare(now, until) < 0) return;
      this.#waiting.delete(bookingId);
    }
  }
}
