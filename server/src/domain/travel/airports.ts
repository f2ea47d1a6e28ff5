/** The airports that flights name, by IATA code. */
export interface Airports {
  airport(code: string): { timeZone: string } | undefined;
}
