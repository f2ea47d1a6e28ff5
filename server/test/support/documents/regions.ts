import type { MoneyStyle } from "./money.ts";
import type { Random } from "./random.ts";
import { taxIds } from "./tax-ids.ts";

const languages = ["eng", "deu", "fra", "spa", "por", "jpn"] as const;
export type Language = (typeof languages)[number];

/** Where a receipt is from, and how amounts and dates are written there. */
export interface Region {
  language: Language;
  locale: string;
  currency: string;
  money: MoneyStyle;
  /** `#` is the amount. */
  moneyPatterns: readonly string[];
  /** `yyyy`, `yy`, `mmmm`, `mmm`, `mm`, `m`, `dd` and `d`. */
  datePatterns: readonly string[];
  /** In thousandths, the ordinary rate first. */
  rates: readonly [bigint, bigint];
  taxIncluded: boolean;
  taxName: string;
  taxIdLabel: string;
  taxId?: (random: Random) => string;
  places: readonly string[];
  phone: string;
}

const point = { digits: 2, decimal: ".", group: "," } as const;
const comma = { digits: 2, decimal: ",", group: "." } as const;

const regions: readonly Region[] = [
  {
    language: "eng",
    locale: "en-US",
    currency: "USD",
    money: point,
    rates: [88n, 40n],
    taxIncluded: false,
    moneyPatterns: ["$#", "USD #", "$# USD"],
    datePatterns: ["mm/dd/yyyy", "mmm d, yyyy", "mmmm d, yyyy", "yyyy-mm-dd"],
    taxName: "Sales Tax",
    taxIdLabel: "",
    phone: "(212) 555-0143",
    places: [
      "118 Mercer Street, New York, NY 10012",
      "2400 Pine Ave, Seattle, WA 98101",
      "77 Lake St, Chicago, IL 60601",
    ],
  },
  {
    language: "eng",
    locale: "en-GB",
    currency: "GBP",
    money: point,
    rates: [200n, 50n],
    taxIncluded: true,
    moneyPatterns: ["£#", "GBP #"],
    datePatterns: ["dd/mm/yyyy", "d mmmm yyyy", "dd mmm yyyy", "dd-mmm-yyyy"],
    taxName: "VAT",
    taxIdLabel: "VAT No",
    taxId: taxIds.GB,
    phone: "020 7946 0812",
    places: ["14 Quay Road, London SE1 2AB", "3 Castle Terrace, Edinburgh EH1 2DP", "9 Mill Lane, Bristol BS1 5TR"],
  },
  {
    language: "eng",
    locale: "en-IE",
    currency: "EUR",
    money: point,
    rates: [230n, 135n],
    taxIncluded: true,
    moneyPatterns: ["€#", "EUR #"],
    datePatterns: ["dd/mm/yyyy", "d mmmm yyyy", "dd mmm yyyy"],
    taxName: "VAT",
    taxIdLabel: "VAT",
    phone: "01 555 0199",
    places: ["22 Harbour Street, Dublin 2", "5 Bridge Street, Galway"],
  },
  {
    language: "deu",
    locale: "de-DE",
    currency: "EUR",
    money: comma,
    rates: [190n, 70n],
    taxIncluded: true,
    moneyPatterns: ["# €", "# EUR", "EUR #", "€ #"],
    datePatterns: ["dd.mm.yyyy", "dd.mm.yyyy", "d. mmmm yyyy", "dd.mm.yy"],
    taxName: "MwSt.",
    taxIdLabel: "USt-IdNr.",
    taxId: taxIds.DE,
    phone: "030 5550123",
    places: ["Lindenstraße 14, 10969 Berlin", "Marktgässchen 3, 80331 München", "Hafenweg 21, 20457 Hamburg"],
  },
  {
    language: "deu",
    locale: "de-CH",
    currency: "CHF",
    money: { ...point, group: "'" },
    rates: [81n, 26n],
    taxIncluded: true,
    moneyPatterns: ["CHF #", "# CHF", "Fr. #"],
    datePatterns: ["dd.mm.yyyy", "d. mmmm yyyy"],
    taxName: "MWST",
    taxIdLabel: "MWST-Nr.",
    phone: "044 555 01 23",
    places: ["Seefeldquai 8, 8008 Zürich", "Kramgasse 40, 3011 Bern"],
  },
  {
    language: "fra",
    locale: "fr-FR",
    currency: "EUR",
    money: { ...comma, group: " " },
    rates: [200n, 100n],
    taxIncluded: true,
    moneyPatterns: ["# €", "# EUR", "#€"],
    datePatterns: ["dd/mm/yyyy", "d mmmm yyyy", "dd/mm/yyyy"],
    taxName: "TVA",
    taxIdLabel: "N° TVA",
    taxId: taxIds.FR,
    phone: "01 55 50 01 23",
    places: [
      "12 rue des Tanneurs, 75011 Paris",
      "4 quai Saint-Antoine, 69002 Lyon",
      "31 cours Lafayette, 33000 Bordeaux",
    ],
  },
  {
    language: "spa",
    locale: "es-ES",
    currency: "EUR",
    money: comma,
    rates: [210n, 100n],
    taxIncluded: true,
    moneyPatterns: ["# €", "#€", "# EUR"],
    datePatterns: ["dd/mm/yyyy", "d de mmmm de yyyy", "dd-mm-yyyy"],
    taxName: "IVA",
    taxIdLabel: "",
    phone: "915 550 123",
    places: [
      "Calle Mayor 27, 28013 Madrid",
      "Paseo del Puerto 4, 08003 Barcelona",
      "Avenida de la Paz 9, 41001 Sevilla",
    ],
  },
  {
    language: "spa",
    locale: "es-MX",
    currency: "MXN",
    money: point,
    rates: [160n, 80n],
    taxIncluded: true,
    moneyPatterns: ["$# MXN", "MXN #", "MX$#"],
    datePatterns: ["dd/mm/yyyy", "d de mmmm de yyyy", "yyyy-mm-dd"],
    taxName: "IVA",
    taxIdLabel: "",
    phone: "55 5550 0123",
    places: ["Av. Álvaro Obregón 88, 06700 Ciudad de México, CDMX", "Calle Hidalgo 15, 44100 Guadalajara, Jal."],
  },
  {
    language: "por",
    locale: "pt-PT",
    currency: "EUR",
    money: comma,
    rates: [230n, 60n],
    taxIncluded: true,
    moneyPatterns: ["# €", "€ #", "# EUR"],
    datePatterns: ["dd/mm/yyyy", "d de mmmm de yyyy", "dd-mm-yyyy", "yyyy-mm-dd"],
    taxName: "IVA",
    taxIdLabel: "NIF",
    taxId: taxIds.PT,
    phone: "213 555 012",
    places: ["Rua das Flores 45, 1200-192 Lisboa", "Largo da Estação 2, 4000-123 Porto"],
  },
  {
    language: "por",
    locale: "pt-BR",
    currency: "BRL",
    money: comma,
    rates: [180n, 120n],
    taxIncluded: true,
    moneyPatterns: ["R$ #", "R$#"],
    datePatterns: ["dd/mm/yyyy", "d de mmmm de yyyy"],
    taxName: "ICMS",
    taxIdLabel: "",
    phone: "(11) 5555-0123",
    places: ["Rua Augusta 1200, São Paulo - SP, 01304-001", "Av. Atlântica 310, Rio de Janeiro - RJ, 22010-000"],
  },
  {
    language: "jpn",
    locale: "ja-JP",
    currency: "JPY",
    money: { digits: 0, decimal: ".", group: "," },
    rates: [100n, 80n],
    taxIncluded: true,
    moneyPatterns: ["¥#", "#円", "￥#"],
    datePatterns: ["yyyy年m月d日", "yyyy/mm/dd", "yyyy年mm月dd日"],
    taxName: "消費税",
    taxIdLabel: "登録番号",
    taxId: taxIds.JP,
    phone: "03-5550-0123",
    places: ["東京都港区芝公園4-2-8", "京都市中京区烏丸通12", "大阪市北区梅田3-1-1"],
  },
];

/** Counted through the languages first, so that numbers side by side have different ones, then through the regions of each. */
export function regionAt(count: number): Region {
  const language = languages[count % languages.length];
  const those = regions.filter((one) => one.language === language);
  const region = those[Math.floor(count / languages.length) % those.length];
  if (region === undefined) throw new Error("A language has no region.");
  return region;
}

export function printDate(date: Temporal.PlainDate, pattern: string, locale: string): string {
  const two = (value: number) => String(value).padStart(2, "0");
  const year = String(date.year);
  const parts: Readonly<Record<string, () => string>> = {
    yyyy: () => year,
    yy: () => year.slice(-2),
    mmmm: () => date.toLocaleString(locale, { month: "long" }),
    mmm: () => date.toLocaleString(locale, { month: "short" }).slice(0, 3),
    mm: () => two(date.month),
    m: () => String(date.month),
    dd: () => two(date.day),
    d: () => String(date.day),
  };
  // "de" between the parts of a Spanish date is no day.
  return pattern.replaceAll(/yyyy|yy|mmmm|mmm|mm|m|dd|d(?!e)/g, (part) => parts[part]?.() ?? part);
}
