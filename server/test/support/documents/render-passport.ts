import {
  isTruncated,
  transliterate,
  writeCardZone,
  writePassportZone,
  type ZoneFacts,
} from "./machine-readable-zone.ts";
import { type Issuer, issuers, longNames, onlyNames } from "./passport-issuers.ts";
import { type Random, seededRandom } from "./random.ts";
import { drawPng, Sheet } from "./sheet.ts";
import type { RenderedDocument } from "./truth.ts";

/** In points: 125 by 88 mm, and both sides of a card, 85.6 by 54 mm, one over the other. */
const PASSPORT = { width: 354, height: 249 } as const;
const CARD = { width: 243, height: 326 } as const;
/** Ten letters an inch, as OCR-B is printed. */
const ZONE = { font: "ocrb", size: 10.24, color: "#0a0a0a" } as const;
const SCALE = 3.6;

interface Holder extends ZoneFacts {
  issuedOn: Temporal.PlainDate;
  placeOfBirth: string;
}

/** One in ten is an identity card. Some names are long, of one part or with letters that no zone has; some holders have sex X. */
export function renderPassport(seed: number, today: Temporal.PlainDate): RenderedDocument {
  const random = seededRandom(seed + 20_000);
  const issuer = issuers[seed % issuers.length];
  if (issuer === undefined) throw new Error("No country has this seed.");
  const isCard = seed % 10 === 9;
  const holder = makeHolder(random, issuer, seed, today, isCard);
  const sheet = isCard ? drawCard(random, issuer, holder) : drawPassport(random, issuer, holder);
  const isLong = isTruncated(holder, isCard ? 30 : 39);
  const hasExpired = Temporal.PlainDate.compare(holder.expiresOn, today) < 0;
  return {
    name: `passport/${issuer.code}/${isCard ? "card/" : ""}${isLong ? "long/" : ""}${hasExpired ? "expired/" : ""}${seed}`,
    kind: "id_document",
    bytes: drawPng(sheet, SCALE),
    mediaType: "image/png",
    alwaysReviewed: hasExpired,
    truth: {
      fields: {
        documentType: [isCard ? "identity_card" : "passport"],
        issuingCountry: [issuer.code],
        nationality: [issuer.code],
        documentNumber: [holder.number],
        familyName: spellings(holder.familyName),
        givenName: holder.givenName === "" ? [] : spellings(holder.givenName),
        bornOn: [holder.bornOn.toString()],
        sex: [holder.sex.toLowerCase()],
        issuedOn: [holder.issuedOn.toString()],
        expiresOn: [holder.expiresOn.toString()],
      },
    },
  };
}

/** As the page prints it, and as airlines write it. */
const spellings = (name: string): string[] => [name.toUpperCase(), transliterate(name)];

function makeHolder(random: Random, issuer: Issuer, seed: number, today: Temporal.PlainDate, isCard: boolean): Holder {
  const isWoman = random.chance(0.5);
  const bornOn = today.subtract({ days: random.between(19 * 365, 82 * 365) });
  // One in 33 has expired.
  const issuedOn = today.subtract({
    days: seed % 33 === 32 ? random.between(3_700, 4_200) : random.between(40, 3_200),
  });
  const [longFamily, longGiven] = random.pick(longNames);
  const only = random.pick(onlyNames);
  const isLong = seed % 25 === 12;
  const isOnly = seed % 25 === 20;
  return {
    documentCode: isCard ? "I" : "P",
    issuer: issuer.zoneCode ?? issuer.code,
    nationality: issuer.zoneCode ?? issuer.code,
    familyName: isLong ? longFamily : isOnly ? only : random.pick(issuer.families),
    givenName: isLong ? longGiven : isOnly ? "" : random.pick(isWoman ? issuer.women : issuer.men),
    number: [...issuer.numberPattern].map((mark) => pickMark(random, mark)).join(""),
    bornOn,
    issuedOn,
    expiresOn: issuedOn.add({ years: 10 }).subtract({ days: random.between(0, 1) }),
    sex: seed % 20 === 7 ? "X" : isWoman ? "F" : "M",
    optional: issuer.hasPersonalNumber && !isCard ? random.digits(11) : "",
    placeOfBirth: random.pick(issuer.cities),
  };
}

function pickMark(random: Random, mark: string): string {
  if (mark === "9") return random.digits(1);
  return mark === "A" ? random.pick([..."ABCDEFGHJKLMNPRTVWXYZ"]) : mark;
}

function printed(date: Temporal.PlainDate, { datePattern, locale }: Issuer): string {
  const short = (language: string) =>
    date.toLocaleString(language, { month: "short" }).replace(".", "").slice(0, 4).toUpperCase();
  const [year = "", month = "", day = ""] = date.toString().split("-");
  return datePattern
    .replace("MON", () => short("en").slice(0, 3))
    .replace("LOC", () => short(locale))
    .replace("yyyy", year)
    .replace("yy", year.slice(-2))
    .replace("mm", month)
    .replace("dd", day);
}

/** Fine waves as on paper that is hard to copy. */
function guilloche(random: Random, sheet: Sheet): void {
  const color = random.pick(["#d9e4ec", "#e9dfd2", "#dce9dc", "#ead9e2"]);
  const amplitude = random.between(3, 9);
  for (let y = 6; y < sheet.height; y += 7) {
    let path = `M 0 ${y}`;
    for (let x = 0; x < sheet.width; x += 40) {
      path += ` C ${x + 13} ${y - amplitude} ${x + 27} ${y + amplitude} ${x + 40} ${y}`;
    }
    sheet.path(path, { color, width: 0.7 });
  }
}

function portrait(sheet: Sheet, x: number, y: number, width: number): void {
  const height = width * 1.28;
  sheet.rectangle(x, y, width, height, "#c9ced3");
  const [middle, head] = [x + width / 2, y + height * 0.4];
  const radius = width * 0.22;
  sheet.path(
    `M ${middle} ${head - radius} C ${middle + radius * 1.4} ${head - radius} ${middle + radius * 1.4} ${head + radius} ${middle} ${head + radius} C ${middle - radius * 1.4} ${head + radius} ${middle - radius * 1.4} ${head - radius} ${middle} ${head - radius} Z`,
    { width: width * 0.08, color: "#8d959c" },
  );
  sheet.path(
    `M ${x + width * 0.12} ${y + height} C ${x + width * 0.2} ${head + radius} ${x + width * 0.8} ${head + radius} ${x + width * 0.88} ${y + height}`,
    { width: width * 0.06, color: "#8d959c" },
  );
}

/** A label with its value under it. */
function field(sheet: Sheet, x: number, y: number, label: string, value: string, size: number): void {
  sheet.text(x, y, label, { size: 4.6, color: "#3c4a63" });
  sheet.text(x, y + size + 1.5, value, { size });
}

function drawPassport(random: Random, issuer: Issuer, holder: Holder): Sheet {
  const sheet = new Sheet({ ...PASSPORT, font: random.pick(["roboto", "dejavu", "inconsolata"]), paper: "#f6f7f4" });
  guilloche(random, sheet);
  portrait(sheet, 16, 52, 86);
  const labels = issuer.labels;
  sheet.text(16, 20, issuer.title, { size: 8, bold: true, color: "#27406b" });
  sheet.text(16, 34, "PASSPORT", { size: 7, bold: true });
  const [left, right] = [116, 236];
  const print = (date: Temporal.PlainDate) => printed(date, issuer);
  field(sheet, left, 32, "Type", "P", 7.5);
  field(sheet, left + 46, 32, "Code", issuer.zoneCode ?? issuer.code, 7.5);
  field(sheet, right, 32, labels[9], holder.number, 8.5);
  const isUpper = random.chance(0.75);
  const name = (text: string) => (isUpper ? text.toUpperCase() : text);
  // A long name would run over the edge in larger letters.
  const size = holder.familyName.length + holder.givenName.length > 50 ? 6.5 : 8.5;
  field(sheet, left, 54, labels[0], name(holder.familyName), size);
  field(sheet, left, 75, labels[1], name(holder.givenName), size);
  field(sheet, left, 96, labels[2], issuer.nationality, 7.5);
  field(sheet, left, 116, labels[3], print(holder.bornOn), 7.5);
  const sex = { F: issuer.female, M: issuer.male, X: "X" }[holder.sex];
  field(sheet, left, 136, labels[4], sex, 7.5);
  field(sheet, right - 50, 136, labels[5], holder.placeOfBirth, 7.5);
  field(sheet, left, 156, labels[6], print(holder.issuedOn), 7.5);
  field(sheet, right, 156, labels[8], random.pick(["PASSPORT OFFICE", issuer.cities[0] ?? ""]), 7.5);
  field(sheet, left, 176, labels[7], print(holder.expiresOn), 7.5);
  drawZone(random, sheet, writePassportZone(holder), [17, 221]);
  return sheet;
}

function drawZone(random: Random, sheet: Sheet, lines: readonly string[], [x, y]: readonly [number, number]): void {
  const bold = random.chance(0.6);
  sheet.rectangle(0, y - 14, sheet.width, sheet.height - y + 14, "#fbfbf8");
  for (const [index, line] of lines.entries()) sheet.text(x, y + index * 18, line, { ...ZONE, bold });
}

function drawCard(random: Random, issuer: Issuer, holder: Holder): Sheet {
  const sheet = new Sheet({ ...CARD, font: random.pick(["roboto", "dejavu"]), paper: "#f4f6f8" });
  guilloche(random, sheet);
  sheet.text(10, 16, issuer.title, { size: 6, bold: true, color: "#27406b" });
  sheet.text(10, 26, "IDENTITY CARD", { size: 6, bold: true });
  portrait(sheet, 10, 36, 62);
  const labels = issuer.labels;
  const [left, right] = [84, 166];
  const print = (date: Temporal.PlainDate) => printed(date, issuer);
  const name = holder.familyName.length + holder.givenName.length > 50 ? 5 : 7;
  field(sheet, left, 34, labels[0], holder.familyName.toUpperCase(), name);
  field(sheet, left, 52, labels[1], holder.givenName.toUpperCase(), name);
  field(sheet, left, 70, labels[4], { F: issuer.female, M: issuer.male, X: "X" }[holder.sex], 6.5);
  field(sheet, right, 70, labels[2], issuer.code, 6.5);
  field(sheet, left, 88, labels[3], print(holder.bornOn), 6.5);
  field(sheet, left, 106, labels[6], print(holder.issuedOn), 6.5);
  field(sheet, right, 106, labels[7], print(holder.expiresOn), 6.5);
  field(sheet, left, 124, "Document No.", holder.number, 7);
  sheet.rule(158, 0, CARD.width, { color: "#9aa3ab", width: 0.5 });
  field(sheet, 10, 176, labels[5], holder.placeOfBirth, 6.5);
  field(sheet, 10, 196, labels[8], issuer.cities[0] ?? "", 6.5);
  drawZone(random, sheet, writeCardZone(holder), [13, 270]);
  return sheet;
}
