import { renderBoardingPass } from "./render-boarding-pass.ts";
import { renderInvoice } from "./render-invoice.ts";
import { renderPassport } from "./render-passport.ts";
import { renderReceipt } from "./render-receipt.ts";
import { type SpoilLevel, spoilImage } from "./spoil-image.ts";
import type { RenderedDocument } from "./truth.ts";

/** Documents with the seeds 0 to `count`, made when they are asked for. */
type Corpus = (count: number, today: Temporal.PlainDate) => AsyncGenerator<RenderedDocument>;

const PHOTO_LEVELS: readonly SpoilLevel[] = ["photo", "dim", "low"];
const ID_LEVELS: readonly SpoilLevel[] = ["scan", "photo", "low", "dim"];
/** The seeds of clean and of spoiled documents are different ones. */
const SPOILED_FROM = 100;

/** Two receipts, then an invoice. */
async function renderPurchase(index: number, today: Temporal.PlainDate, form: "image" | "text_pdf" | "scanned_pdf") {
  const third = Math.floor(index / 3);
  if (index % 3 === 2) return await renderInvoice(third, today, form);
  return await renderReceipt(third * 2 + (index % 3), today, form);
}

/** The documents repeat after `period`: each kind of them gets every level. */
function levelAt(levels: readonly SpoilLevel[], index: number, period: number): SpoilLevel {
  return levels[(index + Math.floor(index / period)) % levels.length] ?? "photo";
}

async function spoiled(document: RenderedDocument, level: SpoilLevel, seed: number): Promise<RenderedDocument> {
  return {
    ...document,
    name: `${document.name}/${level}`,
    bytes: await spoilImage(document.bytes, level, seed),
    mediaType: "image/jpeg",
  };
}

export const corpora = {
  async *"receipts and invoices, clean"(count, today) {
    for (let index = 0; index < count; index += 1) yield await renderPurchase(index, today, "image");
  },
  async *"receipts and invoices, photos"(count, today) {
    for (let index = 0; index < count; index += 1) {
      const document = await renderPurchase(SPOILED_FROM * 3 + index, today, "image");
      yield await spoiled(document, levelAt(PHOTO_LEVELS, index, 3), index);
    }
  },
  async *"receipts and invoices, PDF with text"(count, today) {
    for (let index = 0; index < count; index += 1) yield await renderPurchase(index, today, "text_pdf");
  },
  async *"receipts and invoices, scanned PDF"(count, today) {
    for (let index = 0; index < count; index += 1) yield await renderPurchase(index, today, "scanned_pdf");
  },
  async *"passports and cards, clean"(count, today) {
    for (let index = 0; index < count; index += 1) yield renderPassport(index, today);
  },
  async *"passports and cards, spoiled"(count, today) {
    for (let index = 0; index < count; index += 1) {
      const seed = SPOILED_FROM + index;
      yield await spoiled(renderPassport(seed, today), levelAt(ID_LEVELS, index, 16), seed);
    }
  },
  async *"boarding passes, clean"(count, today) {
    for (let index = 0; index < count; index += 1) yield await renderBoardingPass(index, today);
  },
  async *"boarding passes, tilted"(count, today) {
    for (let index = 0; index < count; index += 1) {
      const seed = SPOILED_FROM + index;
      yield await spoiled(await renderBoardingPass(seed, today), "tilted", seed);
    }
  },
} as const satisfies Readonly<Record<string, Corpus>>;
export type CorpusName = keyof typeof corpora;
