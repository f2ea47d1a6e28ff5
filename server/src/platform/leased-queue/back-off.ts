interface BackOff {
  firstMilliseconds: number;
  longestMilliseconds: number;
}

/** How long to wait after so many attempts: twice as long each time, up to a limit. */
export function backOff(attempts: number, { firstMilliseconds, longestMilliseconds }: BackOff): number {
  return Math.min(firstMilliseconds * 2 ** Math.max(attempts - 1, 0), longestMilliseconds);
}
