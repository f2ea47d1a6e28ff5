const MICRO = 1_000_000;

/** Cents; below a cent two significant digits, so that a small price never looks free. */
export function usdc(micro: string | number): string {
  const amount = Number(micro) / MICRO;
  if (amount === 0 || Math.abs(amount) >= 0.01) {
    return amount.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  }
  return amount.toLocaleString("en", { maximumSignificantDigits: 2 });
}

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** In the viewer's zone, which is named. */
export function time(text: string): string {
  return new Date(text).toLocaleString("en-GB", {
    timeZone: zone,
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
    timeZoneName: "short",
  });
}

const SECONDS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const;

/** "in 3 hours", "2 days ago". */
export function fromNow(text: string): string {
  const seconds = (Date.parse(text) - Date.now()) / 1_000;
  const words = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
  for (const [unit, size] of SECONDS)
    if (Math.abs(seconds) >= size) return words.format(Math.round(seconds / size), unit);
  return seconds < 0 ? "just now" : "in a moment";
}

export const toolName = (name: string): string => {
  const words = name.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
};
