/** Whether the caller names Markdown and prefers it to HTML or accepts both equally. A bare `*` means HTML. */
export function prefersMarkdown(request: Request): boolean {
  const accepted = acceptedTypes(request);
  const markdown = accepted.get("text/markdown") ?? 0;
  return markdown > 0 && markdown >= (accepted.get("text/html") ?? 0);
}

/** Whether the caller names HTML, as browsers do; programs that accept anything get a parseable answer. */
export function prefersHtml(request: Request): boolean {
  const accepted = acceptedTypes(request);
  const html = accepted.get("text/html") ?? 0;
  return html > 0 && html >= (accepted.get("application/json") ?? 0);
}

/** The media types that the request names, with weights from 0 to 1. */
function acceptedTypes(request: Request): ReadonlyMap<string, number> {
  return new Map(
    (request.headers.get("accept") ?? "").split(",").map((item) => {
      const [type = "", ...parameters] = item.split(";").map((part) => part.trim().toLowerCase());
      const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
      const value = weight === undefined ? 1 : Number(weight);
      return [type, value >= 0 && value <= 1 ? value : 0];
    }),
  );
}
