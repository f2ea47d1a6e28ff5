/** The only source of time. Tests and replays replace it. */
export interface Clock {
  now(): Temporal.Instant;
}

let lastMilliseconds = -1;
let lastInstant = Temporal.Instant.fromEpochMilliseconds(0);

/**
 * Precise to the millisecond. Calls within a millisecond share an instant: creating one costs more than all other uses of time
 * in a call.
 */
export const systemClock: Clock = {
  now() {
    const milliseconds = Date.now();
    if (milliseconds !== lastMilliseconds) {
      lastInstant = Temporal.Instant.fromEpochMilliseconds(milliseconds);
      lastMilliseconds = milliseconds;
    }
    return lastInstant;
  },
};

let lastText = { instant: lastInstant, text: lastInstant.toString() };

/** ISO 8601 in UTC; the text of a recent instant is cached. */
export function instantText(instant: Temporal.Instant): string {
  if (lastText.instant !== instant) lastText = { instant, text: instant.toString() };
  return lastText.text;
}
