/** A page of the documentation, as the HTTP hosts and the MCP resources offer it. */
export interface Page {
  /** Without leading slash and extension, for example `prices` or `tools/search_flights`; the URL is `/docs/<slug>`. */
  readonly slug: string;
  readonly title: string;
  /** One sentence, for lists of pages. */
  readonly summary: string;
  /** Markdown; the first line is the title as a heading. */
  readonly markdown: string;
}

/** Whether lists of pages include it. The page of a single error is linked from answers and from the page of all errors. */
export function isListed({ slug }: Page): boolean {
  return !slug.startsWith("errors/");
}
