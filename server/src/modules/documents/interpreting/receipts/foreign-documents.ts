import type { Reading } from "../../reading/page.ts";
import { normalizeLabel } from "./labels.ts";
import type { Row } from "./rows.ts";

/** The beginning of a boarding pass by IATA resolution 792. */
const BOARDING_PASS_CODE = /^M[1-9][A-Z/ .'-]{20}[E ][A-Z0-9 ]{6,7}/;
const BOARDING_PASS =
  /\b(?:boarding pass|boarding card|bordkarte|carte d embarquement|carte d acces a bord|tarjeta de embarque|pase de abordar|cartao de embarque)\b|搭乗券/u;
const IDENTITY_DOCUMENT =
  /\b(?:passport|passeport|reisepass|pasaporte|passaporte|personalausweis|identity card|carte nationale d identite|documento nacional de identidad|driver licen[cs]e|fuhrerschein)\b|旅券|運転免許/u;
const MACHINE_READABLE_ROW = /^[A-Z0-9<]{28,46}$/;

/** Whether it is a boarding pass or an identity document instead of a receipt. A receipt may mention either, but has a total. */
export function isForeignDocument(reading: Reading, rows: readonly Row[], hasTotal: boolean): boolean {
  if (reading.barcodes.some(({ text }) => BOARDING_PASS_CODE.test(text))) return true;
  const zone = reading.mrz.some(({ lines }) => lines.some((line) => line.length >= 28 && line.includes("<<")));
  const printedZone =
    rows.filter(({ text }) => MACHINE_READABLE_ROW.test(text.replaceAll(/\s/g, "")) && text.includes("<<")).length > 0;
  if (zone || printedZone) return true;
  if (hasTotal) return false;
  return rows.some(({ text, source }) => {
    const plain = normalizeLabel(text, source !== "text");
    return BOARDING_PASS.test(plain) || IDENTITY_DOCUMENT.test(plain);
  });
}
