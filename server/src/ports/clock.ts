/** The only source of time. Tests and replays hand in another one. */
export interface Clock {
  now(): Temporal.Instant;
}

let lastMilliseconds = -1;
let lastInstant = Temporal.Instant.fromEpochMilliseconds(0);

/** To the millisecond. Calls within one share one instant: making one costs more than everything else that a call needs of time. */
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

/** ISO 8601 in UTC; as cheap as a look at the clock for an instant that was just written. */
export function instantText(instant: Temporal.Instant): string {
  if (lastText.instant !== instant) lastText = { instant, text: instant.toString() };
  return lastText.text;
}
