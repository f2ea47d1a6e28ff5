import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Resvg } from "@resvg/resvg-js";
import PdfDocument from "pdfkit";

const require = createRequire(import.meta.url);
const FONTS = {
  sans: ["DejaVu Sans", require.resolve("dejavu-fonts-ttf/ttf/DejaVuSans.ttf")],
  mono: ["DejaVu Sans Mono", require.resolve("dejavu-fonts-ttf/ttf/DejaVuSansMono.ttf")],
  // The package exports no path to its fonts.
  zone: ["OCRB", join(dirname(require.resolve("bwip-js")), "../fonts/OCRB7.ttf")],
  japanese: [
    "BIZ UDPGothic",
    require.resolve("@expo-google-fonts/biz-udpgothic/400Regular/BIZUDPGothic_400Regular.ttf"),
  ],
} as const;

export interface TextImage {
  width?: number;
  height?: number;
  font?: keyof typeof FONTS;
  size?: number;
}

/** A PNG with lines of black text on white. */
export function drawText(lines: readonly string[], options: TextImage = {}): Buffer {
  const { width = 900, font = "sans", size = 30 } = options;
  const height = options.height ?? Math.ceil((lines.length + 1) * size * 1.7);
  const [family, file] = FONTS[font];
  const escapeText = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  const texts = lines.map(
    (line, index) => `<text x="40" y="${(index + 1) * size * 1.7}" xml:space="preserve">${escapeText(line)}</text>`,
  );
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="white"/><g font-family="${family}" font-size="${size}">${texts.join("")}</g></svg>`;
  return new Resvg(svg, { font: { fontFiles: [file], loadSystemFonts: false, defaultFontFamily: family } })
    .render()
    .asPng();
}

/** A PDF that `draw` fills; it has one empty page when it begins. */
export function drawPdf(
  draw: (pdf: PDFKit.PDFDocument) => void,
  options: PDFKit.PDFDocumentOptions = {},
): Promise<Buffer> {
  const pdf = new PdfDocument(options);
  const chunks: Buffer[] = [];
  const { promise, resolve } = Promise.withResolvers<Buffer>();
  pdf.on("data", (chunk: Buffer) => chunks.push(chunk));
  pdf.on("end", () => resolve(Buffer.concat(chunks)));
  draw(pdf);
  pdf.end();
  return promise;
}
