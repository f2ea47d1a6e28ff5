/** Lists of more objects than this are shown by their first entry: the others have the same form. */
const MOST_OBJECTS = 2;

export interface Shortened {
  value: unknown;
  /** Lists that were cut, such as `offers`, with the number of their entries. */
  cut: readonly { path: string; length: number }[];
}

export function shorten(value: unknown): Shortened {
  const cut: { path: string; length: number }[] = [];
  const visit = (part: unknown, path: string): unknown => {
    if (Array.isArray(part)) {
      const long = part.length > MOST_OBJECTS && part.every((entry) => typeof entry === "object" && entry !== null);
      if (long) cut.push({ path, length: part.length });
      return (long ? part.slice(0, 1) : part).map((entry) => visit(entry, `${path}[]`));
    }
    if (typeof part !== "object" || part === null) return part;
    const members = Object.entries(part);
    return Object.fromEntries(
      members.map(([name, child]) => [name, visit(child, path === "" ? name : `${path}.${name}`)]),
    );
  };
  return { value: visit(value, ""), cut };
}
