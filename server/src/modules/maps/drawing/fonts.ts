import { createRequire } from "node:module";
import { type Font, openSync } from "fontkit";

const resolve = (name: string): string => createRequire(import.meta.url).resolve(`dejavu-fonts-ttf/ttf/${name}.ttf`);
const files = { regular: resolve("DejaVuSans"), bold: resolve("DejaVuSans-Bold") };

/** The fonts of the pictures, as slim machines have none. */
export const fontFiles: readonly string[] = Object.values(files);
export const FONT_FAMILY = "DejaVu Sans";

export type Weight = keyof typeof files;

const opened = new Map<Weight, Font>();

function openFont(weight: Weight): Font {
  const font = opened.get(weight) ?? openSync(files[weight]);
  if (!("glyphForCodePoint" in font)) throw new Error("A font file holds several fonts.");
  opened.set(weight, font);
  return font;
}

/** In pixels at that size. A missing character counts as a wide one, as another font may have it. */
export function measureWidth(text: string, size: number, weight: Weight): number {
  const font = openFont(weight);
  let width = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    width += font.hasGlyphForCodePoint(code) ? font.glyphForCodePoint(code).advanceWidth / font.unitsPerEm : 1;
  }
  return width * size;
}

/** The text without characters that the font lacks, such as emoji and Chinese; empty if nothing is left. */
export function drawableText(text: string): string {
  const font = openFont("bold");
  const characters = Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);
  const kept = characters.filter((character) =>
    [...character].every((one) => font.hasGlyphForCodePoint(one.codePointAt(0) ?? 0)),
  );
  const line = kept.join("").replaceAll(/\s+/gu, " ").trim();
  return /[\p{L}\p{N}]/u.test(line) ? line : "";
}
