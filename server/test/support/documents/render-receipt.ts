import { lineTruths, listTruths, taxTruths } from "./purchase.ts";
import { seededRandom } from "./random.ts";
import { drawReceipt, receiptLayouts } from "./receipt-layouts.ts";
import { regionAt } from "./regions.ts";
import { drawPdf, drawPng, drawScannedPdf } from "./sheet.ts";
import type { RenderedDocument } from "./truth.ts";

export type Form = "image" | "text_pdf" | "scanned_pdf";

/** Pixels for a point: a till's paper at about 270 dpi, a page at about 180. */
export const scaleFor = (width: number): number => (width < 300 ? 3.8 : 2.5);

export async function renderReceipt(
  seed: number,
  today: Temporal.PlainDate,
  form: Form = "image",
): Promise<RenderedDocument> {
  const random = seededRandom(seed);
  // Thirty seeds have each layout in each language; the next thirty have it in another region of the language.
  const layout = receiptLayouts[Math.floor(seed / 6) % receiptLayouts.length] ?? "taxi";
  const region = regionAt((seed % 30) + 6 * Math.floor(seed / 30));
  const { roll, purchase, shown } = drawReceipt(random, layout, region, today);
  const { sheet } = roll;
  const image = form === "text_pdf" ? undefined : drawPng(sheet, scaleFor(sheet.width));
  const bytes =
    image === undefined ? await drawPdf([sheet]) : form === "image" ? image : await drawScannedPdf([image], sheet);
  return {
    name: `receipt/${layout}/${purchase.region.locale}/${seed}/${form}`,
    kind: "receipt",
    bytes,
    mediaType: form === "image" ? "image/png" : "application/pdf",
    truth: { fields: listTruths(purchase, shown), lines: lineTruths(purchase), taxes: taxTruths(purchase) },
  };
}
