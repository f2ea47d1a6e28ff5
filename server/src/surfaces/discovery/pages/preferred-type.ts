/** Markdown, when the caller names it and likes it at least as well as HTML. A bare `*` is for HTML. */
export function prefersMarkdown(request: Request): boolean {
  const accepted = acceptedTypes(request);
  const markdown = accepted.get("text/markdown") ?? 0;
  return markdown > 0 && markdown >= (accepted.get("text/html") ?? 0);
}

/** HTML by name, as browsers ask for it; programs that take anything are better served with something to parse. */
export function prefersHtml(request: Request): boolean {
  const accepted = acceptedTypes(request);
  const html = accepted.get("text/html") ?? 0;
  return html > 0 && html >= (accepted.get("application/json") ?? 0);
}

/** Each media type that the request names, with its weight from 0 to 1. */
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
