import { createRequire } from "node:module";
import { openSync } from "fontkit";

export type Weight = "regular" | "bold";
type Face = Readonly<Record<Weight, string>>;

const resolve = (file: string): string => createRequire(import.meta.url).resolve(file);

const JAPANESE = "@expo-google-fonts/biz-udpgothic";
/** The face for most documents. */
export const usualFace: Face = {
  regular: resolve("dejavu-fonts-ttf/ttf/DejaVuSans.ttf"),
  bold: resolve("dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf"),
};
/** In the order in which they are tried for a character: a file is opened only if the previous ones lack one. */
const faces: readonly Face[] = [
  usualFace,
  {
    regular: resolve(`${JAPANESE}/400Regular/BIZUDPGothic_400Regular.ttf`),
    bold: resolve(`${JAPANESE}/700Bold/BIZUDPGothic_700Bold.ttf`),
  },
];

const BOX = "\u25a1";

/** Adjacent characters of one face. */
interface Run {
  readonly face: Face;
  readonly text: string;
}

/** Knows which characters the documents' fonts have. */
export class Glyphs {
  readonly #missing = new Set<string>();
  readonly #open = new Map<string, (codePoint: number) => boolean>();

  /** Replaces each missing character by a box. */
  drawable(text: string): string {
    return Array.from(new Intl.Segmenter().segment(text), ({ segment }) => {
      if (this.#findFace(segment) !== undefined) return segment;
      this.#missing.add(segment);
      return BOX;
    }).join("");
  }

  /** The drawable text, split where the face changes. */
  runs(text: string): readonly Run[] {
    const runs: { face: Face; text: string }[] = [];
    for (const { segment } of new Intl.Segmenter().segment(text)) {
      const face = this.#findFace(segment) ?? usualFace;
      const last = runs.at(-1);
      if (last?.face === face) last.text += segment;
      else runs.push({ face, text: segment });
    }
    return runs;
  }

  get missing(): string {
    return [...this.#missing].join("");
  }

  #findFace(text: string): Face | undefined {
    return faces.find(({ regular, bold }) =>
      Array.from(text).every((one) => [regular, bold].every((file) => this.#has(file, one.codePointAt(0) ?? 0))),
    );
  }

  #has(file: string, codePoint: number): boolean {
    let knows = this.#open.get(file);
    if (knows === undefined) {
      const font = openSync(file);
      if (!("hasGlyphForCodePoint" in font)) throw new Error("A font file holds several fonts.");
      knows = (one) => font.hasGlyphForCodePoint(one);
      this.#open.set(file, knows);
    }
    return knows(codePoint);
  }
}
