import type { Row } from "./rows.ts";

/** Signs of a country: their total weight, and the row of the first. */
interface Sign {
  weight: number;
  row: Row;
}
/** Countries that a document shows signs of, by alpha-2 code. */
export type Places = ReadonlyMap<string, Sign>;

const STRONG = 3;
const FAIR = 2;
const WEAK = 1;

/** `[country, weight, pattern]`. Patterns match one row each and have no unbounded repetitions. */
const HINTS: readonly (readonly [string, number, RegExp])[] = [
  [
    "US",
    STRONG,
    /\b(?:AL|AK|AZ|AR|CA|CO|CT|DC|DE|FL|GA|HI|IA|ID|IL|IN|KS|KY|LA|MA|MD|ME|MI|MN|MO|MS|MT|NC|ND|NE|NH|NJ|NM|NV|NY|OH|OK|OR|PA|RI|SC|SD|TN|TX|UT|VA|VT|WA|WI|WV|WY)[ ,.\t]{1,2}\d{5}(?:-\d{4})?\b/,
  ],
  ["US", FAIR, /\bsales tax\b|\bstate tax\b|\bEIN\b ?:? ?\d\d-\d{7}/i],
  ["US", STRONG, /\b(?:U\.?S\.?A\.?|United States)\b/],
  [
    "US",
    FAIR,
    /\b(?:New York|Los Angeles|San Francisco|Chicago|Las Vegas|Seattle|Boston|Miami|Houston|Dallas|Austin|Denver|Atlanta|Washington|Brooklyn|San Diego|Orlando|Philadelphia),? ?(?:NY|CA|IL|NV|WA|MA|FL|TX|CO|GA|DC|D\.C\.|PA)?\b/,
  ],
  ["CA", STRONG, /\b(?:ON|QC|BC|AB|MB|SK|NS|NB|NL|PE|YT|NT|NU)[ ,.\t]{1,2}[A-CEGHJ-NPR-TVXY]\d[A-Z] ?\d[A-Z]\d\b/],
  ["CA", STRONG, /\bCanada\b/i],
  ["CA", FAIR, /\b(?:HST|PST|QST|TVQ|TPS)\b/],
  ["CA", FAIR, /\b(?:Toronto|Vancouver|Montr[eé]al|Calgary|Ottawa|Qu[eé]bec|Winnipeg|Edmonton)\b/i],
  ["AU", STRONG, /\bA\.?B\.?N\.?:? ?\d\d ?\d{3} ?\d{3} ?\d{3}\b/],
  ["AU", STRONG, /\bAustralia\b|\b(?:NSW|VIC|QLD|TAS|ACT)[ ,\t]{1,2}\d{4}\b/i],
  ["AU", FAIR, /\b(?:Sydney|Melbourne|Brisbane|Perth|Adelaide|Canberra)\b|\.com\.au\b|\+61[ \d(]/i],
  ["NZ", STRONG, /\bNew Zealand\b|\bNZBN\b/i],
  ["NZ", FAIR, /\b(?:Auckland|Wellington|Christchurch|Queenstown)\b|\.co\.nz\b|\+64[ \d(]/i],
  ["SG", STRONG, /\bSingapore\b|\bUEN\b|\+65[ \d]/i],
  ["HK", STRONG, /\bHong ?Kong\b|\+852[ \d]|\bKowloon\b/i],
  ["TW", STRONG, /\bTaiwan\b|\bTaipei\b|台灣|台北|統一編號/i],
  ["MX", STRONG, /\bM[eé]xico\b|\bCDMX\b|\bRFC\b|\+52[ \d]|\bCFDI\b|\bpesos mexicanos\b/i],
  ["CO", STRONG, /\bColombia\b|\bBogot[aá]\b|\bNIT\b|\bMedell[ií]n\b/i],
  ["CL", STRONG, /\bChile\b|\bSantiago\b|\bR\.?U\.?T\.?:? ?\d|\bboleta electr[oó]nica\b/i],
  ["AR", STRONG, /\bArgentina\b|\bC\.?U\.?I\.?T\b|\bBuenos Aires\b|\bMonotributo\b/i],
  ["BR", STRONG, /\bBrasil\b|\bBrazil\b|\bCNPJ\b|\bCPF\b|\bS[aã]o Paulo\b|\bRio de Janeiro\b/i],
  ["IN", STRONG, /\bIndia\b|\bGSTIN\b|\bCGST\b|\bMumbai\b|\bDelhi\b|\bBengaluru\b|\bBangalore\b/i],
  ["PK", STRONG, /\bPakistan\b|\bKarachi\b|\bLahore\b|\bIslamabad\b/i],
  ["LK", STRONG, /\bSri Lanka\b|\bColombo\b/i],
  ["JP", STRONG, /\bJapan\b|\bTokyo\b|\bOsaka\b|\bKyoto\b|〒|東京|大阪|京都|\bT\d{13}\b|[ぁ-んァ-ヶ]{3}/],
  ["CN", STRONG, /\bChina\b|\bBeijing\b|\bShanghai\b|\bShenzhen\b|发票|人民币|中国|北京市|上海市/i],
  ["SE", STRONG, /\bSweden\b|\bSverige\b|\bStockholm\b|\bG[oö]teborg\b|\bSE\d{10}01\b|\bkvitto\b|\bswish\b|\+46[ \d]/i],
  ["SE", FAIR, /\borg\.? ?nr\b.{0,3}\d{6}-\d{4}/i],
  ["NO", STRONG, /\bNorway\b|\bNorge\b|\bOslo\b|\bBergen\b|\bMVA\b|\+47[ \d]|\bTrondheim\b/i],
  ["DK", STRONG, /\bDenmark\b|\bDanmark\b|\bK[oø]benhavn\b|\bCopenhagen\b|\bCVR\b|\+45[ \d]|\bAarhus\b/i],
  ["IS", STRONG, /\bIceland\b|\b[IÍ]sland\b|\bReykjav[ií]k\b|\bVSK\b|\+354[ \d]/i],
  [
    "GB",
    STRONG,
    /\bUnited Kingdom\b|\bLondon\b|\bEngland\b|\bScotland\b|\bGB ?\d{3} ?\d{4} ?\d{2}\b|\+44[ \d(]|\bManchester\b|\bEdinburgh\b/i,
  ],
  ["GB", FAIR, /\b[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}\b|\.co\.uk\b/],
  ["EG", STRONG, /\bEgypt\b|\bCairo\b/i],
  ["AE", STRONG, /\bDubai\b|\bAbu Dhabi\b|\bU\.?A\.?E\b|\bTRN\b/i],
  ["MA", STRONG, /\bMaroc\b|\bMorocco\b|\bCasablanca\b|\bMarrakech\b/i],
  [
    "CH",
    STRONG,
    /\bCHE-\d{3}\.\d{3}\.\d{3}\b|\bSwitzerland\b|\bSchweiz\b|\bSuisse\b|\bZ[uü]rich\b|\bGen[eè]ve\b|\bBasel\b|\+41[ \d]/i,
  ],
  ["DE", STRONG, /\bDE ?\d{9}\b|\bDeutschland\b|\bGermany\b|\+49[ \d(]/i],
  ["AT", STRONG, /\bATU ?\d{8}\b|\b[ÖO]sterreich\b|\bAustria\b|\+43[ \d(]/i],
  ["FR", STRONG, /\bFR ?[A-Z\d]{2} ?\d{9}\b|\bFrance\b|\bSIRET\b|\+33[ \d(]/i],
  ["ES", STRONG, /\bEspa[nñ]a\b|\bSpain\b|\b(?:CIF|NIF):? ?[A-Z]-?\d{8}\b|\+34[ \d]/i],
  ["PT", STRONG, /\bPortugal\b|\bLisboa\b|\+351[ \d]|\bPorto\b/i],
  ["IE", STRONG, /\bIreland\b|\bDublin\b|\+353[ \d]/i],
  ["NL", STRONG, /\bNederland\b|\bNetherlands\b|\bAmsterdam\b|\bNL\d{9}B\d{2}\b/i],
  ["IT", STRONG, /\bItalia\b|\bItaly\b|\bP\.? ?IVA\b|\+39[ \d]/i],
  ["PH", STRONG, /\bPhilippines\b|\bManila\b/i],
  ["ZA", STRONG, /\bSouth Africa\b|\bJohannesburg\b|\bCape Town\b/i],
  ["KE", WEAK, /\bNairobi\b|\bKenya\b/i],
];

const MOST_ROWS = 300;

export function findPlaces(rows: readonly Row[]): Places {
  const signs = new Map<string, Sign>();
  for (const row of rows.slice(0, MOST_ROWS)) {
    for (const [country, weight, pattern] of HINTS) {
      if (!pattern.test(row.text)) continue;
      const sign = signs.get(country);
      signs.set(country, { weight: weight + (sign?.weight ?? 0), row: sign?.row ?? row });
    }
  }
  return signs;
}

/** The best supported of the given countries. Undefined if there is none, or a near tie. */
export function findLikeliest(places: Places, countries: readonly string[]): string | undefined {
  const ranked = countries
    .map((country) => ({ country, weight: places.get(country)?.weight ?? 0 }))
    .filter(({ weight }) => weight >= FAIR)
    .toSorted((one, other) => other.weight - one.weight);
  const [first, second] = ranked;
  if (first === undefined) return undefined;
  return first.weight >= 2 * (second?.weight ?? 0) ? first.country : undefined;
}

export const allPlaces = (places: Places): string[] => [...places.keys()];
