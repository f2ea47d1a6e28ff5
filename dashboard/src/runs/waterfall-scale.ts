export interface Span {
  from: number;
  to: number;
  /** It waits for somebody: nothing is done meanwhile. */
  isWait: boolean;
}

const LONG_WAIT_MILLISECONDS = 5_000;
/** The longest that a wait looks, as a part of everything that is not a wait. */
const WAIT_PART = 0.15;
const LEAST_MILLISECONDS = 200;

/**
 * Places moments between 0 and 1. Hours of waiting would leave no room for what was done, so that a long wait takes little room; the
 * durations that are printed stay true.
 */
export function scaleTime(spans: readonly Span[]): { place: (moment: number) => number; isShortened: boolean } {
  const moments = [...new Set(spans.flatMap(({ from, to }) => [from, to]))].toSorted((a, b) => a - b);
  const pieces = moments.slice(1).map((to, at) => {
    const from = moments[at] ?? to;
    const isBusy = spans.some((span) => !span.isWait && span.from < to && span.to > from);
    return { from, to, isBusy };
  });
  const busy = pieces.reduce((sum, { from, to, isBusy }) => (isBusy ? sum + to - from : sum), 0);
  const mostOfWait = Math.max(LEAST_MILLISECONDS, busy * WAIT_PART);
  let isShortened = false;
  let whole = 0;
  const starts = new Map<number, number>();
  for (const { from, to, isBusy } of pieces) {
    starts.set(from, whole);
    const length = to - from;
    const isLong = !isBusy && length > LONG_WAIT_MILLISECONDS && length > mostOfWait;
    isShortened ||= isLong;
    whole += isLong ? mostOfWait : length;
    starts.set(to, whole);
  }
  return { place: (moment) => (whole === 0 ? 0 : (starts.get(moment) ?? 0) / whole), isShortened };
}
