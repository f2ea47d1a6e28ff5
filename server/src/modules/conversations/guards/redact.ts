import type { CatalogEntry } from "../../../kernel/contracts/catalog.ts";
import { buildRedaction, type Redact, SHOWN_ONCE_TEXT } from "../../../kernel/contracts/shown-once.ts";

const redactions = new WeakMap<CatalogEntry, Redact>();

/** Arguments as events and history may hold them: without values that are shown once. */
export function redactArguments(entry: CatalogEntry, args: unknown): unknown {
  const redact = redactions.get(entry) ?? buildRedaction(entry.tool.input, "input");
  redactions.set(entry, redact);
  return redactText(redact(args));
}

/** Keys of the service, and what follows the # of a guest's link: both open something to whoever reads them. */
const SECRETS = /\bak_[A-Za-z0-9_]{16,}|(?<=https?:\/\/[^\s"#]{1,300}#)[^\s"]+/g;

/** Replaces secrets in every text of a value. */
export function redactText(value: unknown): unknown {
  if (typeof value === "string") return value.replaceAll(SECRETS, SHOWN_ONCE_TEXT);
  if (Array.isArray(value)) return value.map(redactText);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, redactText(member)]));
}
