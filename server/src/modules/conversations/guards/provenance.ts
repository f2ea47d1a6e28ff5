/**
 * Recipients, addresses and links in the arguments of a write or a spend must come from the user or from the tenant's own
 * records. A supplier's text that names one must not direct money or mail, whatever a model makes of it.
 */

const MAIL = /[\p{L}\p{N}._%+-]+@[\p{L}\p{N}.-]+\.\p{L}{2,}/giu;
const CHAIN_ADDRESS = /\b0x[0-9a-f]{40}\b/gi;
const LINK = /\b(?:https?:\/\/|www\.)[^\s"'<>)\]]+/gi;
const PHONE = /\+\d[\d ()-]{6,}\d/g;

/** Lower-case mail addresses, chain addresses, links and phone numbers of a text. */
function listTargets(text: string): readonly string[] {
  return [
    ...(text.match(MAIL) ?? []),
    ...(text.match(CHAIN_ADDRESS) ?? []),
    ...(text.match(LINK) ?? []).map((link) => link.replace(/[.,;:!?]+$/, "")),
    ...(text.match(PHONE) ?? []).map((phone) => `+${phone.replaceAll(/\D/g, "")}`),
  ].map((target) => target.toLowerCase());
}

interface Known {
  /** All messages of the user. */
  userTexts: readonly string[];
  /**
   * Values of the tenant's own records, such as its wallet. They count as a whole only: anybody can write an address into a
   * name.
   */
  ownValues: readonly string[];
}

/** The targets in the arguments that neither the user nor the tenant's records name. */
export function findForeignTargets(args: unknown, { userTexts, ownValues }: Known): readonly string[] {
  const asked = [...new Set(listTexts(args).flatMap(listTargets))];
  if (asked.length === 0) return [];
  const wholes = ownValues.filter((value) => listTargets(value)[0] === simplify(value));
  const known = new Set([...userTexts, ...wholes].flatMap(listTargets));
  return asked.filter((target) => !known.has(target));
}

const simplify = (value: string): string => {
  const text = value.trim().toLowerCase();
  return text.startsWith("+") ? text.replaceAll(/[ ()-]/g, "") : text;
};

export function listTexts(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [name, ...listTexts(member)]);
}
