import { readFileSync } from "node:fs";
import bwipjs from "bwip-js";
import sharp from "sharp";
import { expect, it } from "vitest";
import { drawPdf, drawText } from "../../../../test/support/small-documents.ts";
import type { DocumentType } from "../receiving/document-type.ts";
import { findBarcodes } from "./barcodes.ts";
import type { Reading } from "./page.ts";
import { openImage } from "./raster.ts";
import { readDocument } from "./read-document.ts";

const listLines = ({ pages }: Reading): string[] =>
  pages.flatMap(({ lines }) => lines.map(({ words }) => words.map(({ text }) => text).join(" ")));

const RECEIPT = ["Rechnung Frühstück und Bad", "Gesamtbetrag 124,50 EUR"];

it("text of an image is read in its language in any orientation, and located on the original", async () => {
  const turned = await sharp(drawText(RECEIPT)).rotate(187, { background: "white" }).jpeg().toBuffer();
  const reading = await readDocument(turned, "jpeg", "receipt");
  expect(listLines(reading)).toEqual(RECEIPT);
  const total = reading.pages[0]?.lines.at(-1)?.words[1];
  const placement = reading.placements.get(1);
  if (total === undefined || placement === undefined) throw new Error("No total.");
  expect(total).toMatchObject({ text: "124,50", confidence: expect.closeTo(0.9, 0) });
  // The position of the total on the original image, where there is ink.
  const given = placement.toGiven(total.box);
  expect(await measureDarkest(turned, given)).toBeLessThan(60);
  expect(given.y).toBeLessThan(0.5);
});

it("amounts in monospaced print keep their decimals", async () => {
  const rows = [
    ["Milk", "$2.25"],
    ["Eggs", "$4.29"],
    ["Jam", "$6.25"],
    ["Subtotal", "$12.79"],
    ["Tax", "$1.14"],
    ["Total", "$13.93"],
  ] as const;
  const printed = rows.map(([label, amount]) => label.padEnd(39 - amount.length) + amount);
  const lines = ["CORNER STORE", "Reno NV 89501", "04/25/2026", "", ...printed];
  const image = drawText(lines, { font: "mono", size: 24, width: 640 });
  const reading = await readDocument(image, "png", "receipt");
  expect(listLines(reading).slice(3)).toEqual(rows.map((row) => row.join(" ")));
});

it("a passport sent as a receipt is read upright", async () => {
  const zone = ["P<SWEERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<", "L8988901C4SWE7408063F3104150<<<<<<<<<<<<<<<8"];
  const image = drawText(["PASSPORT / PASSEPORT", "Surname", "ERIKSSON", "", ...zone], {
    font: "mono",
    size: 24,
    width: 800,
  });
  const reading = await readDocument(image, "png", "receipt");
  expect(listLines(reading).slice(0, 2)).toEqual(["PASSPORT / PASSEPORT", "Surname"]);
});

async function measureDarkest(
  image: Buffer,
  box: { x: number; y: number; width: number; height: number },
): Promise<number> {
  const { width, height } = await sharp(image).metadata();
  const part = {
    left: Math.floor(box.x * width),
    top: Math.floor(box.y * height),
    width: Math.ceil(box.width * width),
    height: Math.ceil(box.height * height),
  };
  const { channels } = await sharp(image).extract(part).greyscale().stats();
  return channels[0]?.min ?? 255;
}

it("a page is read the same whatever was read before", async () => {
  const page = drawText(["Bar 11.30"], { width: 400 });
  const first = await readDocument(page, "png", "receipt");
  await readDocument(drawText(["O0O0 l1l1 S5S5"], { width: 400 }), "png", "receipt");
  const again = await readDocument(page, "png", "receipt");
  expect(JSON.stringify(again)).toBe(JSON.stringify(first));
});

it("Japanese is read", async () => {
  const reading = await readDocument(
    drawText(["領収書", "合計 ¥1,280", "東京都新宿区"], { font: "japanese", size: 40 }),
    "png",
    "receipt",
  );
  const text = listLines(reading).join("\n").replaceAll(" ", "");
  expect(text).toContain("領収書");
  expect(text).toMatch(/合計.1,280/);
});

it("a photo of a phone in HEIC is read", async () => {
  const bytes = readFileSync(new URL("../../../../test/fixtures/taxi-receipt.heic", import.meta.url));
  expect(listLines(await readDocument(bytes, "heic", "receipt"))).toEqual([
    "Taxi receipt 2026-11-26",
    "Total 24.50 EUR",
  ]);
  await expect(readDocument(bytes.subarray(0, 2_000), "heic", "receipt")).rejects.toMatchObject({
    code: "document_damaged",
  });
});

it("the visible text of a PDF is read, with its e-invoice", async () => {
  const xml = '<?xml version="1.0"?>\n<rsm:CrossIndustryInvoice xmlns:rsm="urn:x"/>';
  const pdf = await drawPdf((page) => {
    page.fontSize(14).text("Invoice Müller & Söhne", 72, 72);
    page.text("Total", 72, 200).text("124,50 €", 400, 200);
    // Invisible texts.
    page.fillColor("white").text("Total 999.00", 72, 300);
    page.fillColor("black").text("Covered 888.00", 72, 400).rect(60, 390, 200, 40).fill("white");
    page.fillColor("black").text("Outside 777.00", 72, 5_000, { lineBreak: false });
    page.file(Buffer.from("<notes/>"), { name: "notes.xml" });
    page.file(Buffer.from(xml), { name: "factur-x.xml" });
  });
  const reading = await readDocument(pdf, "pdf", "invoice");
  expect(listLines(reading)).toEqual(["Invoice Müller & Söhne", "Total 124,50 €"]);
  expect(reading.pages[0]).toMatchObject({ source: "text", page: 1 });
  expect(reading.eInvoice).toBe(xml);
  const [total] = reading.pages[0]?.lines[1]?.words ?? [];
  expect(total?.box).toMatchObject({ x: expect.closeTo(72 / 612, 2), y: expect.closeTo(200 / 792, 1) });
});

it("a scanned PDF is recognised, and the text hidden under its image is ignored", async () => {
  const image = drawText(["Receipt", "Total 12.30"]);
  const pdf = await drawPdf((page) => {
    page.image(image, 0, 0, { width: 612 });
    page.addContent("BT 3 Tr ET").text("Total 99.90", 40, 100);
  });
  const reading = await readDocument(pdf, "pdf", "receipt");
  expect(reading.pages[0]?.source).toBe("ocr");
  expect(listLines(reading)).toEqual(["Receipt", "Total 12.30"]);
});

it("invisible characters are not passed on", async () => {
  const reading = await readDocument(drawText(["Anything"]), "png", "receipt", {
    transcripts: [["Total\u202e 12.30\u200b", `x${"y".repeat(1_000)}`, "\u0007"]],
  });
  expect(listLines(reading)).toEqual(["Total 12.30", `x${"y".repeat(199)}`]);
  expect(reading.pages[0]).toMatchObject({ source: "model", lines: [{ words: [{ confidence: 0.8 }, {}] }, {}] });
});

const PASS = "M1DESMARAIS/LUC       EABC123 YULFRAAC 0834 326J001A0025 100";

it.each([
  ["pdf417", "pdf417"],
  ["azteccode", "aztec"],
  ["qrcode", "qr"],
  ["datamatrix", "data_matrix"],
] as const)("the code of a boarding pass is read: %s", async (bcid, symbology) => {
  const code = await bwipjs.toBuffer({ bcid, text: PASS, scale: 3, padding: 20, backgroundcolor: "FFFFFF" });
  const photo = await sharp(code).rotate(7, { background: "white" }).blur(0.8).jpeg({ quality: 60 }).toBuffer();
  const { raster } = await openImage(photo);
  expect(await findBarcodes(raster, 1)).toMatchObject([{ symbology, text: PASS, page: 1 }]);
});

it("a boarding pass in a PDF is read with its code and its text", async () => {
  const code = await bwipjs.toBuffer({ bcid: "qrcode", text: PASS, scale: 3, padding: 20, backgroundcolor: "FFFFFF" });
  const pdf = await drawPdf((page) => page.fontSize(14).text("Gate 12", 20, 20).image(code, 20, 50, { width: 100 }), {
    size: [200, 200],
  });
  const reading = await readDocument(pdf, "pdf", "boarding_pass");
  expect(reading.barcodes).toMatchObject([{ symbology: "qr", text: PASS, page: 1 }]);
  expect(listLines(reading)).toEqual(["Gate 12"]);
});

const ZONE = ["P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<", "L898902C36UTO7408122F1204159ZE184226B<<<<<10"];

const alike = (line: string): string => line.replaceAll("O", "0").replaceAll("Z", "2");

it("a machine-readable zone is read with all of its fillers", async () => {
  const text = drawText(["Surname", "ERIKSSON", "Given names", "ANNA MARIA"], { width: 1_300, height: 500 });
  const zone = drawText(ZONE, { font: "zone", size: 40, width: 1_300, height: 260 });
  const page = await sharp({ create: { width: 1_300, height: 760, channels: 3, background: "white" } })
    .composite([
      { input: text, top: 0, left: 0 },
      { input: zone, top: 500, left: 0 },
    ])
    .png()
    .toBuffer();
  const tilted = await sharp(page).rotate(3, { background: "white" }).blur(0.6).jpeg({ quality: 70 }).toBuffer();
  const { mrz } = await readDocument(tilted, "jpeg", "id_document");
  // O and 0, Z and 2 look alike there: position and check digits decide.
  expect(mrz[0]?.lines.map(alike)).toEqual(ZONE.map(alike));
});

it("only the first page or frame of an image is read, with a reason", async () => {
  const frames = await sharp([drawText(["First 1.00"]), drawText(["Second 2.00"])], { join: { animated: true } })
    .webp()
    .toBuffer();
  const reading = await readDocument(frames, "webp", "receipt");
  expect(listLines(reading)).toEqual(["First 1.00"]);
  expect(reading).toMatchObject({ pageCount: 2, reasons: [{ code: "pages_not_read" }] });
});

it("damaged and too large files are refused with the right code", async () => {
  const page = drawText(["Total 12.30"]);
  const pdf = await drawPdf((one) => one.text("Total"));
  const long = await drawPdf((one) => {
    for (let count = 1; count < 200; count += 1) one.addPage();
  });
  const refused: [bytes: Uint8Array, type: DocumentType, code: string][] = [
    [page.subarray(0, page.length / 2), "png", "document_damaged"],
    [pdf.subarray(0, pdf.length / 4), "pdf", "document_damaged"],
    [long, "pdf", "document_too_large"],
  ];
  for (const [bytes, type, code] of refused) {
    await expect(readDocument(bytes, type, "receipt")).rejects.toMatchObject({ code });
  }
});
