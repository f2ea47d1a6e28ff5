/** A mark of currency beside an amount, with the currencies it stands for. */
export interface CurrencyMark {
  text: string;
  codes: readonly string[];
}

const CODES =
  "AED ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP CNY COP CRC CUP CVE CZK DKK DOP DZD EGP ETB EUR FJD GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD ISK JMD JOD JPY KES KGS KHR KRW KWD KYD KZT LAK LBP LKR LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SCR SEK SGD SLE SRD SYP SZL THB TND TRY TTD TWD TZS UAH UGX USD UYU UZS VES VND VUV WST XAF XCD XOF XPF YER ZAR ZMW".split(
    " ",
  );

/** Codes that are also words. */
const WORDS: ReadonlySet<string> = new Set([
  "ALL",
  "TRY",
  "TOP",
  "COP",
  "BAM",
  "MOP",
  "PEN",
  "CUP",
  "LAK",
  "MAD",
  "NIO",
  "SOS",
]);

const DOLLARS = [
  "USD",
  "CAD",
  "AUD",
  "NZD",
  "SGD",
  "HKD",
  "MXN",
  "CLP",
  "COP",
  "ARS",
  "TWD",
  "UYU",
  "JMD",
  "TTD",
  "FJD",
  "BBD",
  "BSD",
  "BND",
  "BZD",
  "DOP",
  "NAD",
  "XCD",
  "KYD",
  "BMD",
] as const;

const SIGNS: Readonly<Record<string, readonly string[]>> = {
  "€": ["EUR"],
  euro: ["EUR"],
  euros: ["EUR"],
  eur: ["EUR"],
  "£": ["GBP", "EGP", "GIP", "FKP", "LBP"],
  gbp: ["GBP"],
  $: DOLLARS,
  us$: ["USD"],
  "us-$": ["USD"],
  u$s: ["USD"],
  c$: ["CAD"],
  ca$: ["CAD"],
  can$: ["CAD"],
  a$: ["AUD"],
  au$: ["AUD"],
  nz$: ["NZD"],
  s$: ["SGD"],
  sg$: ["SGD"],
  hk$: ["HKD"],
  nt$: ["TWD"],
  r$: ["BRL"],
  mx$: ["MXN"],
  col$: ["COP"],
  cl$: ["CLP"],
  ar$: ["ARS"],
  j$: ["JMD"],
  rd$: ["DOP"],
  dollars: DOLLARS,
  "¥": ["JPY", "CNY"],
  "\\": ["JPY"],
  円: ["JPY"],
  円也: ["JPY"],
  元: ["CNY", "TWD"],
  rmb: ["CNY"],
  yen: ["JPY"],
  "cn¥": ["CNY"],
  kr: ["SEK", "NOK", "DKK", "ISK"],
  "kr.": ["DKK", "NOK", "SEK", "ISK"],
  ",-": ["NOK", "DKK", "SEK"],
  "fr.": ["CHF"],
  sfr: ["CHF"],
  "sfr.": ["CHF"],
  "₹": ["INR"],
  rs: ["INR", "PKR", "LKR", "NPR", "MUR"],
  "rs.": ["INR", "PKR", "LKR", "NPR", "MUR"],
  "₩": ["KRW"],
  원: ["KRW"],
  "₽": ["RUB"],
  "₺": ["TRY"],
  tl: ["TRY"],
  zł: ["PLN"],
  zl: ["PLN"],
  kč: ["CZK"],
  ft: ["HUF"],
  lei: ["RON", "MDL"],
  "฿": ["THB"],
  "₫": ["VND"],
  "₱": ["PHP"],
  rm: ["MYR"],
  rp: ["IDR"],
  "rp.": ["IDR"],
  "₪": ["ILS"],
  "₴": ["UAH"],
  "₦": ["NGN"],
  "₸": ["KZT"],
  dhs: ["AED", "MAD"],
  "dhs.": ["AED", "MAD"],
  dh: ["AED", "MAD"],
  sr: ["SAR"],
  qr: ["QAR"],
  ksh: ["KES"],
  "s/": ["PEN"],
  "s/.": ["PEN"],
  лв: ["BGN"],
};

const bySign: ReadonlyMap<string, CurrencyMark> = new Map([
  ...Object.entries(SIGNS).map(([text, codes]) => [text, { text, codes }] as const),
  ...CODES.map((code) => [code, { text: code, codes: [code] }] as const),
]);

const SWISS: CurrencyMark = { text: "Fr", codes: ["CHF"] };

/** Undefined if the text names no currency. */
export function findMark(text: string): CurrencyMark | undefined {
  if (text === "" || text.length > 5) return undefined;
  // "FR" begins French tax numbers.
  if (text === "Fr") return SWISS;
  return bySign.get(text) ?? bySign.get(text.toLowerCase());
}

/** Currencies that a text names by their code, such as "All amounts in USD". */
export function codesIn(text: string): string[] {
  return [...text.matchAll(/(?<![A-Za-z])[A-Z]{3}(?![A-Za-z])/g)]
    .map(([code]) => code)
    .filter((code) => bySign.has(code) && !WORDS.has(code));
}

const WITHOUT_PLACES: ReadonlySet<string> = new Set("CLP ISK JPY KRW PYG RWF UGX VND VUV XAF XOF XPF".split(" "));
const WITH_THREE: ReadonlySet<string> = new Set("BHD IQD JOD KWD LYD OMR TND".split(" "));

/** By ISO 4217; two where prices occur with and without them, such as in Hungary. */
export function currencyPlaces(currency: string | undefined): number {
  if (currency === undefined) return 2;
  if (WITHOUT_PLACES.has(currency)) return 0;
  return WITH_THREE.has(currency) ? 3 : 2;
}
