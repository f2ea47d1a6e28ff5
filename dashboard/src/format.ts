const MICRO = 1_000_000;

/** Cents; below a cent two significant digits, so that a small price never looks free. */
export function usdc(micro: string | number): string {
  const amount = Number(micro) / MICRO;
  if (amount === 0 || Math.abs(amount) >= 0.01) {
    return amount.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  }
  return amount.toLocaleString("en", { maximumSignificantDigits: 2 });
}

const CENT = 0.01;

/** For the amounts of one column: two decimals, or in each row as many as the smallest amount needs to be more than zero. */
export function usdcColumn(column: readonly (string | number)[]): (micro: string | number) => string {
  const small = column.map((micro) => Math.abs(Number(micro)) / MICRO).filter((amount) => amount > 0 && amount < CENT);
  const shortest = small.map((amount) => amount.toLocaleString("en", { maximumSignificantDigits: 2 }));
  const decimals = Math.max(2, ...shortest.map((amount) => amount.length - "0.".length));
  const format = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  return (micro) => (Number(micro) / MICRO).toLocaleString("en", format);
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

/** A decimal amount as an answer has it: with cents, and below a cent with two significant digits. */
export function money(decimal: string): string {
  return usdc(Number(decimal) * MICRO);
}

/** The reason of a refusal, without where programs find the rest of it. */
export const sayReason = (detail: string): string =>
  detail
    .replace(/: issues lists (?:both|all of them)[^.]*\./, ".")
    .replace(/^Not accepted: (\w[\w.]*): /, "Not accepted: $1 ");

/** The ends of a long id. */
export const shorten = (id: string): string => (id.length > 20 ? `${id.slice(0, 8)}…${id.slice(-6)}` : id);

/** "4 s", "2 min 5 s", "3 h 20 min". */
export function sayDuration(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.max(0, Math.round(milliseconds))} ms`;
  const seconds = milliseconds / 1_000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.round(seconds % 60)} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} days`;
}

const CHAINS: Readonly<Record<string, string>> = {
  "eip155:1": "Ethereum",
  "eip155:8453": "Base",
  "eip155:42161": "Arbitrum",
  "eip155:5042002": "Arc, test network",
  "eip155:84532": "Base Sepolia",
  "eip155:11155111": "Ethereum Sepolia",
  "eip155:421614": "Arbitrum Sepolia",
};

/** A chain by the name that people know; else by its CAIP-2 id. */
export const sayChain = (chain: string): string => CHAINS[chain] ?? chain;

/** "November 2026", of "2026-11". */
export function sayMonth(period: string): string {
  const month = new Date(`${period}-01T00:00:00Z`);
  if (Number.isNaN(month.getTime())) return period;
  return month.toLocaleDateString("en-GB", { timeZone: "UTC", month: "long", year: "numeric" });
}
