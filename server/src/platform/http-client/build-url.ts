/** Values of a query string; those that are undefined are left out. */
export type UrlQuery = Readonly<Record<string, string | number | undefined>>;

export function buildUrl(address: string, query: UrlQuery = {}): URL {
  const url = new URL(address);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  return url;
}
