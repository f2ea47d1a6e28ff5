interface BackOff {
  firstMilliseconds: number;
  longestMilliseconds: number;
}

/** The wait after so many attempts: doubled each time, up to a limit. */
export function backOff(attempts: number, { firstMilliseconds, longestMilliseconds }: BackOff): number {
  return Math.min(firstMilliseconds * 2 ** Math.max(attempts - 1, 0), longestMilliseconds);
}
