const KEPT = "wayfare recent";
const MOST = 5;

/** The ids of the lines that were chosen lately in this tab, the last first. */
export function readRecents(): readonly string[] {
  const stored: unknown = JSON.parse(sessionStorage.getItem(KEPT) ?? "[]");
  return Array.isArray(stored) ? stored.filter((one) => typeof one === "string") : [];
}

export function rememberRecent(id: string): void {
  const others = readRecents().filter((one) => one !== id);
  sessionStorage.setItem(KEPT, JSON.stringify([id, ...others].slice(0, MOST)));
}
