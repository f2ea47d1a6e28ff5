/** JSON text that PostgreSQL takes: it refuses NUL and lone surrogates, which models and callers can send. */
export function storableJson(value: unknown): string {
  return JSON.stringify(value ?? null, (_name, member: unknown) =>
    typeof member === "string" ? storableText(member) : member,
  );
}

export function storableText(text: string): string {
  return text.replaceAll("\0", "").toWellFormed();
}
