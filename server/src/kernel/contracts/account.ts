/** One module's facts about the caller's account. */
export interface AccountFacts {
  /** Members of the answer of `read_account`, unique among modules. Amounts are decimal strings. */
  readonly facts?: Readonly<Record<string, unknown>>;
  /** Features that need a person's action before they work for this caller. */
  readonly missing?: readonly MissingPart[];
  /** Settings that only a person makes for the caller's tenant, and whether they are made. */
  readonly setUp?: readonly SetUpPart[];
}

export interface MissingPart {
  /** The unavailable feature, described for the agent. */
  readonly what: string;
  /** The person's action: a command, a setting. */
  readonly how: string;
  /** The page of the documentation, without its ending. */
  readonly page: string;
}

interface SetUpPart extends MissingPart {
  readonly isSet: boolean;
}

/** Joins the facts of all modules. Throws if two modules give a fact of the same name. */
export function joinAccountFacts(parts: readonly AccountFacts[]): Required<AccountFacts> {
  const entries = parts.flatMap(({ facts = {} }) => Object.entries(facts));
  const facts = Object.fromEntries(entries);
  if (Object.keys(facts).length < entries.length) throw new Error("two modules give a fact of one name");
  return {
    facts,
    missing: parts.flatMap(({ missing = [] }) => missing),
    setUp: parts.flatMap(({ setUp = [] }) => setUp),
  };
}
