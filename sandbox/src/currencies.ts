import { formatMoney, toCents, toUnits } from "./money.ts";

/** Price levels of this supplier's own, as permille of a dollar's price; no rates of any day. */
const PERMILLE: Readonly<Record<string, number>> = {
  USD: 1000,
  EUR: 870,
  GBP: 750,
  CHF: 800,
  AUD: 1430,
  CAD: 1370,
  NZD: 1680,
  JPY: 157_000,
  CNY: 6800,
  INR: 94_000,
  DKK: 6490,
  SEK: 9500,
  NOK: 10_000,
  PLN: 3750,
  CZK: 21_200,
  HUF: 315_000,
  SGD: 1270,
  HKD: 7780,
  KRW: 1_440_000,
  MXN: 17_600,
  BRL: 5200,
  ZAR: 16_800,
  TRY: 46_000,
  ILS: 2950,
  THB: 31_500,
  PHP: 59_500,
  MYR: 4100,
  ISK: 124_000,
};

const EURO = [
  "AT",
  "BE",
  "BG",
  "CY",
  "DE",
  "EE",
  "ES",
  "FI",
  "FR",
  "GR",
  "HR",
  "IE",
  "IT",
  "LT",
  "LU",
  "LV",
  "MT",
  "NL",
];
const CURRENCY_OF: Readonly<Record<string, string>> = {
  ...Object.fromEntries([...EURO, "PT", "SI", "SK", "MC"].map((country) => [country, "EUR"])),
  GB: "GBP",
  CH: "CHF",
  LI: "CHF",
  AU: "AUD",
  CA: "CAD",
  NZ: "NZD",
  JP: "JPY",
  CN: "CNY",
  IN: "INR",
  DK: "DKK",
  SE: "SEK",
  NO: "NOK",
  PL: "PLN",
  CZ: "CZK",
  HU: "HUF",
  SG: "SGD",
  HK: "HKD",
  KR: "KRW",
  MX: "MXN",
  BR: "BRL",
  ZA: "ZAR",
  TR: "TRY",
  IL: "ILS",
  TH: "THB",
  PH: "PHP",
  MY: "MYR",
  IS: "ISK",
};

export function isKnownCurrency(code: string): boolean {
  return PERMILLE[code] !== undefined;
}

/** Those of the currencies above that have no smaller unit. */
const WITHOUT_PLACES: ReadonlySet<string> = new Set(["ISK", "JPY", "KRW"]);

/** Rounded to the currency's smallest unit, half up. */
export function roundIn(currency: string, micro: bigint): bigint {
  return WITHOUT_PLACES.has(currency) ? toUnits(micro) : toCents(micro);
}

/** Without places where the currency has none. An amount stored before amounts were rounded keeps its places. */
export function formatIn(currency: string, micro: bigint): string {
  const isWhole = WITHOUT_PLACES.has(currency) && toUnits(micro) === micro;
  return isWhole ? formatMoney(micro).replace(/\.00$/u, "") : formatMoney(micro);
}

/** An amount of one currency in another, rounded to its smallest unit. */
export function exchange(micro: bigint, from: string, to: string): bigint {
  if (from === to) return micro;
  const [fromPermille, toPermille] = [from, to].map((code) => BigInt(PERMILLE[code] ?? 1000));
  return roundIn(to, (micro * (toPermille ?? 1000n)) / (fromPermille ?? 1000n));
}

let account = "USD";
let areStaysLocal = true;

/** At start: what the operator's account is kept in, and whether stays are sold in the currency of their country. */
export function setCurrencies(ofAccount: string, staysIn: "local" | "account"): void {
  account = ofAccount;
  areStaysLocal = staysIn === "local";
}

/** The account's currency, in which flights are sold. */
export function accountCurrency(): string {
  return account;
}

/** The currency of hotels in a country; dollars if unknown. */
export function currencyOfCountry(country: string): string {
  return areStaysLocal ? (CURRENCY_OF[country] ?? "USD") : account;
}
