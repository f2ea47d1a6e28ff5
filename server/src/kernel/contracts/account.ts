/** What one module says of the account of who calls. */
export interface AccountFacts {
  /** Members of the answer of `read_account`; no two modules give one of the same name. Amounts are decimal strings. */
  readonly facts?: Readonly<Record<string, unknown>>;
  /** What does not work for this caller before a person has done something. */
  readonly missing?: readonly MissingPart[];
}

export interface MissingPart {
  /** What cannot be done, for the agent. */
  readonly what: string;
  /** What a person does about it: a command, a setting. */
  readonly how: string;
}

/** All of it together. Throws when two modules give a fact of one name. */
export function joinAccountFacts(parts: readonly AccountFacts[]): Required<AccountFacts> {
  const entries = parts.flatMap(({ facts = {} }) => Object.entries(facts));
  const facts = Object.fromEntries(entries);
  if (Object.keys(facts).length < entries.length) throw new Error("two modules give a fact of one name");
  return { facts, missing: parts.flatMap(({ missing = [] }) => missing) };
}
