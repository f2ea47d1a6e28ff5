interface Flown {
  flightNumber: string;
  departingAt: string;
}

/** Whether these are the same flights on the same day: flights already held are no alternative. */
export function isSameWay(slices: readonly { segments: readonly Flown[] }[], held: readonly Flown[]): boolean {
  const said = (segments: readonly Flown[]) => segments.map((one) => `${one.flightNumber} ${one.departingAt}`).join();
  return held.length > 0 && said(slices.flatMap(({ segments }) => segments)) === said(held);
}

/** Whether one of the flights is held on that day already. */
export function sharesFlight(slices: readonly { segments: readonly Flown[] }[], held: readonly Flown[]): boolean {
  const name = ({ flightNumber, departingAt }: Flown) => `${flightNumber} ${departingAt.slice(0, 10)}`;
  const known = new Set(held.map(name));
  return slices.some(({ segments }) => segments.some((one) => known.has(name(one))));
}
