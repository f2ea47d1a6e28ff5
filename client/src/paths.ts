/** The values that a route takes, by their names. */
export type RouteInput = Readonly<Record<string, unknown>>;

/** Replaces the names in the path by their values, and makes the others the query. `body` is neither. */
export function fillPath(template: string, input: RouteInput): string {
  const used = new Set(["body"]);
  const path = template.replaceAll(/\{(\w+)\}/g, (_match, name: string) => {
    used.add(name);
    return encodeURIComponent(String(input[name]));
  });
  const query = new URLSearchParams(
    Object.entries(input).flatMap(([name, value]) =>
      used.has(name) || value === undefined ? [] : [[name, String(value)]],
    ),
  );
  return query.size === 0 ? path : `${path}?${query}`;
}
