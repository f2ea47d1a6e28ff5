interface Flown {
  flightNumber: string;
  departingAt: string;
}

/** The same flights on the same day: what somebody holds already is no way on. */
export function isSameWay(slices: readonly { segments: readonly Flown[] }[], held: readonly Flown[]): boolean {
  const said = (segments: readonly Flown[]) => segments.map((one) => `${one.flightNumber} ${one.departingAt}`).join();
  return held.length > 0 && said(slices.flatMap(({ segments }) => segments)) === said(held);
}
