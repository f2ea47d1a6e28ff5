/** `search_flights` as a method's name: `searchFlights`. */
export const camelCase = (name: string): string =>
  name.replaceAll(/_(\w)/g, (_match, letter: string) => letter.toUpperCase());
