import type { Hex } from "../../domain/tokens.ts";
import type { Log } from "../../ports/log.ts";
import { creditRefunds, type IssuePorts } from "./issue-invoice.ts";

const MOST_AT_ONCE = 100;
/** A refund is credited within a minute; this far back nothing was missed because the service stood still. */
const LOOK_BACK = Temporal.Duration.from({ hours: 60 * 24 });
/** What was refused is tried again after this, and at once by who asks for the invoice. */
const WAIT = Temporal.Duration.from({ hours: 1 });
const MOST_WAITING = 10_000;

/** Issues the credit notes that nobody asks for. One that must not be issued keeps no other from being issued. */
export class CreditRefundsJob {
  readonly #ports: IssuePorts & { log: Pick<Log, "error"> };
  /** Bookings whose credit note was refused, by when it is tried again; the first is the next. */
  readonly #waiting = new Map<Hex, Temporal.Instant>();

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
      const waiting = await creditRefunds(this.#ports, { tenantId, environment }, bookingId);
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
