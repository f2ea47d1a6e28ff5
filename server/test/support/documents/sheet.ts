import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Resvg } from "@resvg/resvg-js";
import PdfDocument from "pdfkit";

const require = createRequire(import.meta.url);
const google = (folder: string, file: string) => require.resolve(`@expo-google-fonts/${folder}/${file}.ttf`);
const dejavu = (file: string) => require.resolve(`dejavu-fonts-ttf/ttf/${file}.ttf`);
// The package exports no path to its fonts.
const ocrb = join(dirname(require.resolve("bwip-js")), "../fonts/OCRB7.ttf");

/** Family names as the files say them, with a regular and a bold file. */
const FONTS = {
  roboto: ["Roboto", google("roboto/400Regular", "Roboto_400Regular"), google("roboto/700Bold", "Roboto_700Bold")],
  lora: ["Lora", google("lora/400Regular", "Lora_400Regular"), google("lora/700Bold", "Lora_700Bold")],
  courier: [
    "Courier Prime",
    google("courier-prime/400Regular", "CourierPrime_400Regular"),
    google("courier-prime/700Bold", "CourierPrime_700Bold"),
  ],
  inconsolata: [
    "Inconsolata",
    google("inconsolata/400Regular", "Inconsolata_400Regular"),
    google("inconsolata/700Bold", "Inconsolata_700Bold"),
  ],
  dejavu: ["DejaVu Sans", dejavu("DejaVuSans"), dejavu("DejaVuSans-Bold")],
  gothic: [
    "BIZ UDPGothic",
    google("biz-udpgothic/400Regular", "BIZUDPGothic_400Regular"),
    google("biz-udpgothic/700Bold", "BIZUDPGothic_700Bold"),
  ],
  ocrb: ["OCRB", ocrb, ocrb],
} as const;
export type Font = keyof typeof FONTS;

interface TextStyle {
  font?: Font;
  size?: number;
  bold?: boolean;
  align?: "start" | "middle" | "end";
  color?: string;
}
interface Stroke {
  width?: number;
  color?: string;
  dash?: number;
}
type Mark =
  | { kind: "text"; x: number; y: number; text: string; style: Required<TextStyle> }
  | { kind: "path"; path: string; stroke: Required<Stroke> }
  | { kind: "rectangle"; x: number; y: number; width: number; height: number; color: string }
  | { kind: "picture"; x: number; y: number; width: number; height: number; png: Buffer };

/** A page of a document in points, from the top left corner. It can be drawn as an image and as a PDF with text. */
export class Sheet {
  readonly marks: Mark[] = [];
  readonly width: number;
  height: number;
  readonly font: Font;
  readonly size: number;
  readonly paper: string;

  constructor(facts: { width: number; height: number; font?: Font; size?: number; paper?: string }) {
    this.width = facts.width;
    this.height = facts.height;
    this.font = facts.font ?? "roboto";
    this.size = facts.size ?? 9;
    this.paper = facts.paper ?? "#ffffff";
  }

  /** `y` is the base line. */
  text(x: number, y: number, text: string, style: TextStyle = {}): void {
    const { font = this.font, size = this.size, bold = false, align = "start", color = "#111111" } = style;
    this.marks.push({ kind: "text", x, y, text, style: { font, size, bold, align, color } });
  }

  path(path: string, { width = 0.6, color = "#222222", dash = 0 }: Stroke = {}): void {
    this.marks.push({ kind: "path", path, stroke: { width, color, dash } });
  }

  rule(y: number, left: number, right: number, stroke: Stroke = {}): void {
    this.path(`M ${left} ${y} L ${right} ${y}`, stroke);
  }

  rectangle(x: number, y: number, width: number, height: number, color: string): void {
    this.marks.push({ kind: "rectangle", x, y, width, height, color });
  }

  picture(png: Buffer, x: number, y: number, width: number, height: number): void {
    this.marks.push({ kind: "picture", x, y, width, height, png });
  }
}

const escapeXml = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

function renderSvg(mark: Mark): string {
  switch (mark.kind) {
    case "text": {
      const { font, size, bold, align, color } = mark.style;
      // A font without bold letters is drawn with an outline.
      const outline =
        bold && FONTS[font][1] === FONTS[font][2] ? ` stroke="${color}" stroke-width="${size * 0.035}"` : "";
      return `<text xml:space="preserve" x="${mark.x}" y="${mark.y}"${outline} font-family="${FONTS[font][0]}" font-size="${size}" font-weight="${bold ? 700 : 400}" text-anchor="${align}" fill="${color}">${escapeXml(mark.text)}</text>`;
    }
    case "path": {
      const { width, color, dash } = mark.stroke;
      return `<path d="${mark.path}" fill="none" stroke="${color}" stroke-width="${width}"${dash > 0 ? ` stroke-dasharray="${dash}"` : ""}/>`;
    }
    case "rectangle":
      return `<rect x="${mark.x}" y="${mark.y}" width="${mark.width}" height="${mark.height}" fill="${mark.color}"/>`;
    case "picture":
      return `<image x="${mark.x}" y="${mark.y}" width="${mark.width}" height="${mark.height}" preserveAspectRatio="none" href="data:image/png;base64,${mark.png.toString("base64")}"/>`;
  }
}

/** `scale` is pixels for a point. */
export function drawPng(sheet: Sheet, scale: number): Buffer {
  const fonts = new Set(sheet.marks.flatMap((mark) => (mark.kind === "text" ? [mark.style.font] : [])));
  const fontFiles = [...fonts].flatMap((font) => FONTS[font].slice(1));
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${sheet.width}" height="${sheet.height}" viewBox="0 0 ${sheet.width} ${sheet.height}">${sheet.marks.map(renderSvg).join("")}</svg>`;
  const picture = new Resvg(svg, {
    font: { fontFiles: [...new Set(fontFiles)], loadSystemFonts: false },
    fitTo: { mode: "zoom", value: scale },
    background: sheet.paper,
  });
  return Buffer.from(picture.render().asPng());
}

async function writePdf(draw: (pdf: PDFKit.PDFDocument) => void): Promise<Buffer> {
  const pdf = new PdfDocument({ autoFirstPage: false });
  const parts: Buffer[] = [];
  pdf.on("data", (part: Buffer) => parts.push(part));
  const ended = new Promise((resolve) => pdf.once("end", resolve));
  draw(pdf);
  pdf.end();
  await ended;
  return Buffer.concat(parts);
}

/** A PDF with a text layer. */
export function drawPdf(sheets: readonly Sheet[]): Promise<Buffer> {
  return writePdf((pdf) => {
    for (const sheet of sheets) {
      pdf.addPage({ size: [sheet.width, sheet.height], margin: 0 });
      for (const mark of sheet.marks) drawMark(pdf, mark);
    }
  });
}

function drawMark(pdf: PDFKit.PDFDocument, mark: Mark): void {
  if (mark.kind === "text") {
    const { font, size, bold, align, color } = mark.style;
    pdf
      .font(FONTS[font][bold ? 2 : 1] ?? "")
      .fontSize(size)
      .fillColor(color);
    const share = { start: 0, middle: 0.5, end: 1 }[align];
    pdf.text(mark.text, mark.x - pdf.widthOfString(mark.text) * share, mark.y, {
      lineBreak: false,
      baseline: "alphabetic",
    });
  } else if (mark.kind === "path") {
    const { width, color, dash } = mark.stroke;
    pdf.path(mark.path).lineWidth(width);
    if (dash > 0) pdf.dash(dash, {});
    pdf.stroke(color).undash();
  } else if (mark.kind === "rectangle") {
    pdf.rect(mark.x, mark.y, mark.width, mark.height).fill(mark.color);
  } else {
    pdf.image(mark.png, mark.x, mark.y, { width: mark.width, height: mark.height });
  }
}

/** A PDF as a scanner makes it: one image a page and no text. */
export function drawScannedPdf(images: readonly Buffer[], size: { width: number; height: number }): Promise<Buffer> {
  return writePdf((pdf) => {
    for (const image of images) {
      pdf.addPage({ size: [size.width, size.height], margin: 0 });
      pdf.image(image, 0, 0, size);
    }
  });
}
