import { useNavigate } from "@tanstack/react-router";

type Kept<Members extends Readonly<Record<string, "text" | readonly string[]>>> = {
  [Name in keyof Members]?: Members[Name] extends readonly string[] ? Members[Name][number] : string;
};

/** Members of the address that a page keeps: texts, or one of a few values. Whatever else stands there is dropped. */
export function keepSearch<const Members extends Readonly<Record<string, "text" | readonly string[]>>>(
  members: Members,
) {
  return (search: Readonly<Record<string, unknown>>): Kept<Members> => {
    const kept: Record<string, string> = {};
    for (const [name, values] of Object.entries(members)) {
      const given = search[name];
      // The router reads digits as a number.
      const value = typeof given === "number" ? String(given) : given;
      if (typeof value === "string" && (values === "text" || values.includes(value))) kept[name] = value;
    }
    return kept as Kept<Members>;
  };
}

type Change = Readonly<Record<string, string | undefined>>;

/**
 * Changes members of the page's address and keeps the others. A member without a value leaves the address, so that the same list
 * always has the same link. `replace`: the back button leads to the page before.
 */
export function useChangeSearch(): (change: Change, options?: { replace?: boolean }) => void {
  const navigate = useNavigate();
  return (change, { replace = false } = {}) =>
    void navigate({
      to: ".",
      search: (was: object) => dropEmpty({ ...was, ...change }) as never,
      replace,
      resetScroll: false,
    });
}

const dropEmpty = (members: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined && value !== ""));
