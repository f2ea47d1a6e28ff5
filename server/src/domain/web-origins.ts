const LONGEST_ORIGIN = 300;

/** `https://host` or `http://host`, as browsers write it. Undefined: anything else. */
export function readWebOrigin(text: string): string | undefined {
  const url = text.length > LONGEST_ORIGIN ? null : URL.parse(text);
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) return undefined;
  const { origin } = url;
  // A path, a query or a password would be dropped silently.
  const given = text.toLowerCase().replace(/\/$/, "");
  return given === origin || given === `${origin}:${url.protocol === "https:" ? 443 : 80}` ? origin : undefined;
}
