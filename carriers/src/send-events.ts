import type { Faults } from "./faults.ts";

interface OutgoingEvent {
  /** `slack` or `whatsapp`. */
  carrier: string;
  playground: string;
  url: string;
  body: string;
  headers(attempt: number, reason: string | undefined): Readonly<Record<string, string>>;
}

/** Slack waits three seconds; here a machine may be busy. */
const TIMEOUT_MILLISECONDS = 10_000;
/** The gaps of the real carriers are minutes; a person who tries it out does not wait for those. */
const GAPS_MILLISECONDS = [0, 300, 1_000, 3_000, 10_000, 30_000];

/** Sends events, and again where they are not answered with 200. */
export function createEventSender(faults: Faults, say: (line: string) => void) {
  const held = new Map<string, OutgoingEvent>();
  const stopping = new AbortController();

  async function post({ url, body, headers }: OutgoingEvent, attempt: number, reason: string | undefined) {
    try {
      const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(TIMEOUT_MILLISECONDS)]);
      const answer = await fetch(url, { method: "POST", body, headers: headers(attempt, reason), signal });
      await answer.arrayBuffer();
      return answer.status === 200 ? undefined : "http_error";
    } catch (error) {
      return error instanceof Error && error.name === "TimeoutError" ? "http_timeout" : "connection_failed";
    }
  }

  async function deliver(event: OutgoingEvent): Promise<void> {
    let reason: string | undefined;
    for (const [attempt, gap] of GAPS_MILLISECONDS.entries()) {
      if (gap > 0) await new Promise((resolve) => setTimeout(resolve, gap).unref());
      if (stopping.signal.aborted) return;
      reason = await post(event, attempt, reason);
      if (reason === undefined) return;
    }
    say(`an event of ${event.carrier} was not accepted: ${reason ?? ""}`);
  }

  return {
    send(event: OutgoingEvent): void {
      const place = `${event.playground} ${event.carrier}`;
      const fault = faults.take(`/_events/${event.carrier}`, event.playground);
      if (fault === "late" && !held.has(place)) {
        held.set(place, event);
        return;
      }
      const earlier = held.get(place);
      held.delete(place);
      const due = [event, ...(fault === "duplicated" ? [event] : []), ...(earlier === undefined ? [] : [earlier])];
      // A late one must arrive after the one that overtook it.
      void (earlier === undefined
        ? Promise.all(due.map(deliver))
        : due.reduce((before, one) => before.then(() => deliver(one)), Promise.resolve()));
    },
    stop: () => stopping.abort(),
  };
}

export type EventSender = ReturnType<typeof createEventSender>;
