/** Removes a person from stored JSON or text and leaves the rest unchanged. */

export interface NamedPerson {
  userId: string;
  /** Replaces the user's id. */
  mark: string;
  /** As in the profile and in the person's bookings. */
  names: readonly { givenName: string; familyName: string }[];
  /** Addresses, phone numbers and document numbers. */
  identifiers: readonly string[];
}

export const ERASED_NAME = "(erased)";
/** Members that describe a person besides the names, in an object about the person. */
const PERSONAL_MEMBERS: ReadonlySet<string> = new Set([
  ...["email", "phoneNumber", "phone", "bornOn", "title", "gender", "passports", "loyaltyProgrammeAccounts"],
  ...["loyaltyAccounts", "preferredLanguage", "residence", "guestName", "guestEmail"],
]);
/** Members and columns whose value is a user id. */
const NAMES_USER = /user|traveler|subject|requestedby|decidedby|resolvedby|createdby|changedby|actor|person/i;
const SHORTEST_IN_TEXT = 5;

export interface Forgetting {
  /** Removes the person from a member or column of this name. `isAbout`: it concerns no namesake. */
  value(stored: unknown, name: string, isAbout: boolean): unknown;
  /** A PostgreSQL pattern for rows that may name the person; it also matches others. */
  pattern: string;
  /** Whether a text names this person rather than a namesake. */
  isNamedIn(text: string): boolean;
}

export function forgetPerson({ userId, mark, names, identifiers }: NamedPerson): Forgetting {
  const fullNames = names.flatMap(({ givenName, familyName }) => [
    `${escapePattern(givenName)}\\s+${escapePattern(familyName)}`,
    `${escapePattern(familyName)}\\s*[,/]?\\s*${escapePattern(givenName)}`,
  ]);
  const isDistinctive = userId.length >= 8 && /[^a-z]/i.test(userId);
  const told = identifiers.filter((one) => one.length >= SHORTEST_IN_TEXT).map(escapePattern);
  const idInText = isDistinctive ? words([escapePattern(userId)]) : undefined;
  const identifierInText = words(told);
  const nameInText = words(fullNames);

  const isOwnName = (value: Readonly<Record<string, unknown>>) =>
    names.some(
      ({ givenName, familyName }) => isSame(value.givenName, givenName) && isSame(value.familyName, familyName),
    );

  function text(value: string, name: string, isAbout: boolean): string {
    if (value === userId && (isDistinctive || NAMES_USER.test(name))) return mark;
    if (identifiers.some((one) => isSame(value, one))) return ERASED_NAME;
    const withoutIds = idInText === undefined ? value : value.replace(idInText, mark);
    const withoutNumbers =
      identifierInText === undefined ? withoutIds : withoutIds.replace(identifierInText, ERASED_NAME);
    return !isAbout || nameInText === undefined ? withoutNumbers : withoutNumbers.replace(nameInText, ERASED_NAME);
  }

  function object(stored: object, isAbout: boolean, isProfile = false): Record<string, unknown> {
    const value: Record<string, unknown> = { ...stored };
    const isUser = value.userId === userId;
    const isOther = typeof value.userId === "string" && !isUser;
    const isPerson = isProfile || isUser || (isAbout && !isOther && isOwnName(value));
    const kept = Object.entries(value).filter(([name]) => !(isPerson && PERSONAL_MEMBERS.has(name)));
    return Object.fromEntries(
      kept.map(([name, member]) => {
        const newName = text(name, "", false);
        if (isPerson && (name === "givenName" || name === "familyName")) return [newName, ERASED_NAME];
        // A profile is inside the object that names its user.
        if (isPerson && name === "profile" && isObject(member)) return [newName, object(member, isAbout, true)];
        return [newName, change(member, name, isAbout && !isOther)];
      }),
    );
  }

  /** Answers are stored as the text that was sent. Undefined: it is not a JSON document. */
  function document(stored: string, isAbout: boolean): string | undefined {
    if (!/^\s*[{[]/.test(stored)) return undefined;
    try {
      const before: unknown = JSON.parse(stored);
      const after = JSON.stringify(change(before, "", isAbout));
      return after === JSON.stringify(before) ? stored : after;
    } catch {
      return undefined;
    }
  }

  function change(stored: unknown, name: string, isAbout: boolean): unknown {
    if (typeof stored === "string") return document(stored, isAbout) ?? text(stored, name, isAbout);
    if (Array.isArray(stored)) return stored.map((one) => change(one, name, isAbout));
    return isObject(stored) ? object(stored, isAbout) : stored;
  }

  const families = names.map(({ familyName }) => escapePattern(familyName));
  return {
    value: change,
    pattern: [escapePattern(userId), ...identifiers.map(escapePattern), ...families].join("|"),
    isNamedIn: (some) =>
      [idInText, identifierInText, nameInText].some((one) => one !== undefined && some.search(one) >= 0),
  };
}

/** Matches whole words only. */
function words(alternatives: readonly string[]): RegExp | undefined {
  if (alternatives.length === 0) return undefined;
  return new RegExp(`(?<![\\p{L}\\p{N}_])(?:${alternatives.join("|")})(?![\\p{L}\\p{N}_])`, "giu");
}

/** Escapes for both JavaScript and PostgreSQL. */
function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}

function isSame(value: unknown, other: string): boolean {
  return typeof value === "string" && value.toLowerCase() === other.toLowerCase();
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
