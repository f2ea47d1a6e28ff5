/** One place at which two documents differ. Undefined: it is not there. */
export interface Change {
  path: string;
  before: string | undefined;
  after: string | undefined;
}

const isGroup = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

/** The places of two documents that differ, in the order of their names. */
export function compareDocuments(before: unknown, after: unknown, path = ""): readonly Change[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (isGroup(before) || isGroup(after)) {
    const [was, is] = [isGroup(before) ? before : {}, isGroup(after) ? after : {}];
    const names = [...new Set([...Object.keys(was), ...Object.keys(is)])].toSorted();
    // An empty group that came or went has no member to name.
    if (names.length > 0) {
      return names.flatMap((name) => compareDocuments(was[name], is[name], path === "" ? name : `${path}.${name}`));
    }
  }
  return [{ path, before: write(before), after: write(after) }];
}

const write = (value: unknown): string | undefined => (value === undefined ? undefined : JSON.stringify(value));
