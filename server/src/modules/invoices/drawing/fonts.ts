import { createRequire } from "node:module";
import { openSync } from "fontkit";

const resolve = (name: string): string => createRequire(import.meta.url).resolve(`dejavu-fonts-ttf/ttf/${name}.ttf`);

export const fontFiles = { regular: resolve("DejaVuSans"), bold: resolve("DejaVuSans-Bold") } as const;
export type Weight = keyof typeof fontFiles;

const BOX = "\u25a1";

/** Knows which characters the fonts of documents have. */
export class Glyphs {
  readonly #missing = new Set<string>();
  readonly #fonts = Object.values(fontFiles).map((file) => {
    const font = openSync(file);
    if (!("hasGlyphForCodePoint" in font)) throw new Error("A font file holds several fonts.");
    return font;
  });

  has(text: string): boolean {
    return Array.from(text).every((one) =>
      this.#fonts.every((font) => font.hasGlyphForCodePoint(one.codePointAt(0) ?? 0)),
    );
  }

  /** With a box in place of each character that is missing. */
  drawable(text: string): string {
    return Array.from(new Intl.Segmenter().segment(text), ({ segment }) => {
      if (this.has(segment)) return segment;
      this.#missing.add(segment);
      return BOX;
    }).join("");
  }

  get missing(): string {
    return [...this.#missing].join("");
  }
}
