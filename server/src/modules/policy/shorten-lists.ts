interface Shortened {
  path: string;
  shown: number;
  of: number;
}

/** An object of JSON with no list longer than `most`, and which were. */
export function shortenLists(
  value: Readonly<Record<string, unknown>>,
  most: number,
): { value: Record<string, unknown>; shortened: Shortened[] } {
  const shortened: Shortened[] = [];
  const shorten = (one: unknown, path: string): unknown => {
    if (Array.isArray(one)) {
      if (one.length > most) shortened.push({ path, shown: most, of: one.length });
      return one.slice(0, most).map((entry, index) => shorten(entry, `${path}.${index}`));
    }
    if (typeof one !== "object" || one === null) return one;
    return shortenMembers(one, `${path}.`);
  };
  const shortenMembers = (one: object, prefix: string) =>
    Object.fromEntries(Object.entries(one).map(([name, member]) => [name, shorten(member, `${prefix}${name}`)]));
  return { value: shortenMembers(value, ""), shortened };
}
