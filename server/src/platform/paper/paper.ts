import PDFDocument from "pdfkit";
import { piecesFromLeft } from "./bidi-line.ts";
import { Glyphs, usualFace, type Weight } from "./fonts.ts";

const PAGE = { width: 595.28, height: 841.89, margin: 48 } as const;
const BOTTOM = PAGE.height - PAGE.margin;
/** Contents that do not fit are drawn smaller, as a document has one page. */
const SCALES = [1, 0.85, 0.7, 0.55, 0.4] as const;
const INK = "#1a1a1a";
const MARK = "#f3d6d6";
export const GREY = "#5c5c5c";

/** The distance from the top of a line to the baseline, relative to the font size. */
const ASCENT = 0.928;

interface Column {
  readonly width: number;
  readonly weight: Weight;
}

interface PaperOptions {
  title: string;
  locale: string;
  made: Date;
}

interface Drawn {
  pdf: Uint8Array;
  /** Characters missing from our fonts, shown as boxes. */
  charactersNotShown: string;
}

/** Draws a one-page PDF/A-3 with embedded fonts, as large as its contents allow. */
export async function drawPage(options: PaperOptions, draw: (paper: Paper) => void): Promise<Drawn> {
  for (const scale of SCALES) {
    const paper = new Paper(options, scale);
    draw(paper);
    if (paper.y <= BOTTOM || scale === SCALES.at(-1)) {
      return { pdf: await paper.end(), charactersNotShown: paper.charactersNotShown };
    }
  }
  throw new Error("there is a last scale");
}

/** One page that is filled from top to bottom. */
export class Paper {
  readonly #pdf: PDFKit.PDFDocument;
  readonly #glyphs = new Glyphs();
  readonly #scale: number;
  readonly #made: Date;
  #y: number = PAGE.margin;

  constructor({ title, locale, made }: PaperOptions, scale: number) {
    this.#scale = scale;
    this.#made = made;
    this.#pdf = new PDFDocument({
      size: [PAGE.width, PAGE.height],
      margin: 0,
      pdfVersion: "1.7",
      subset: "PDF/A-3b",
      lang: locale,
      displayTitle: true,
      info: { Title: title, CreationDate: made, ModDate: made },
    });
  }

  /** The lower end of what was drawn. */
  get y(): number {
    return this.#y;
  }

  get charactersNotShown(): string {
    return this.#glyphs.missing;
  }

  /** PDF/A-3 needs `relationship`, which PDFKit's types lack. */
  attach(content: string, about: { name: string; type: string; relationship: string; description?: string }): void {
    this.#pdf.file(Buffer.from(content), { ...about, creationDate: this.#made, modifiedDate: this.#made });
  }

  appendMetadata(rdf: string): void {
    this.#pdf.appendXML(rdf);
  }

  async end(): Promise<Uint8Array> {
    const chunks: Uint8Array[] = [];
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
    this.#pdf.on("data", (chunk: Uint8Array) => chunks.push(chunk));
    this.#pdf.on("end", () => resolve(Buffer.concat(chunks)));
    this.#pdf.on("error", reject);
    this.#pdf.end();
    return await promise;
  }

  /** Across the page, behind what is drawn later. */
  mark(text: string): void {
    this.#pdf.save().font(usualFace.bold).fontSize(38).fillColor(MARK);
    const [x, y] = [PAGE.width / 2, PAGE.height / 2];
    this.#pdf.rotate(-52, { origin: [x, y] });
    this.#pdf.text(text, x - this.#pdf.widthOfString(text) / 2, y - 19, { lineBreak: false });
    this.#pdf.restore();
  }

  /** Two columns beside each other. */
  columns(drawLeft: (place: Place) => void, drawRight: (place: Place) => void): void {
    const top = this.#y;
    const width = PAGE.width / 2 - PAGE.margin - 8;
    drawLeft({ x: PAGE.margin, width });
    const left = this.#y;
    this.#y = top;
    drawRight({ x: PAGE.width / 2 + 8, width });
    this.#y = Math.max(left, this.#y);
  }

  /** A label with its values, one per line: the reading order of adjacent names in two directions is ambiguous. */
  fact(label: string, values: readonly string[]): void {
    if (values.length === 0) return;
    const top = this.#y;
    this.text(label, { color: GREY, width: 110 });
    const below = this.#y;
    this.#y = top;
    for (const value of values) this.text(value, { x: PAGE.margin + 118, width: PAGE.width - 2 * PAGE.margin - 118 });
    this.#y = Math.max(below, this.#y) + 2 * this.#scale;
  }

  amount(label: string, amount: string, weight: Weight): void {
    const top = this.#y;
    this.text(label, { weight, size: 10, width: 360 });
    const below = this.#y;
    this.#y = top;
    this.text(amount, { weight, size: 10, isRight: true });
    this.#y = Math.max(below, this.#y) + 3 * this.#scale;
  }

  gap(points: number): void {
    this.#y += points * this.#scale;
  }

  rule(): void {
    const y = this.#y + 2 * this.#scale;
    this.#pdf
      .moveTo(PAGE.margin, y)
      .lineTo(PAGE.width - PAGE.margin, y)
      .lineWidth(0.5)
      .strokeColor(GREY)
      .stroke();
    this.gap(8);
  }

  /** Draws one or more lines, broken between words, each with its pieces in visual order. */
  text(
    text: string,
    {
      x = PAGE.margin,
      width = PAGE.width - 2 * PAGE.margin,
      size = 9,
      weight = "regular",
      color = INK,
      isRight = false,
    }: { x?: number; width?: number; size?: number; weight?: Weight; color?: string; isRight?: boolean } = {},
  ): void {
    const points = size * this.#scale;
    this.#pdf.fontSize(points).fillColor(color);
    for (const line of this.#breakLines(this.#glyphs.drawable(text), { width, weight })) {
      const runs = piecesFromLeft(line).flatMap((piece) => this.#glyphs.runs(piece));
      const whole = runs.reduce((sum, run) => sum + this.#pdf.font(run.face[weight]).widthOfString(run.text), 0);
      let left = isRight ? x + width - whole : x;
      for (const run of runs) {
        // A common baseline for all faces: measured from their tops, they would differ in height.
        const options = { lineBreak: false, baseline: "alphabetic" } as const;
        this.#pdf.font(run.face[weight]).text(run.text, left, this.#y + points * ASCENT, options);
        left += this.#pdf.widthOfString(run.text);
      }
      this.#y += points * 1.35;
    }
  }

  #measureWidth(text: string, weight: Weight): number {
    const widths = this.#glyphs.runs(text).map((run) => this.#pdf.font(run.face[weight]).widthOfString(run.text));
    return widths.reduce((sum, width) => sum + width, 0);
  }

  #breakLines(text: string, column: Column): readonly string[] {
    const lines: string[] = [];
    let line = "";
    for (const word of text.split(" ").flatMap((one) => this.#breakWord(one, column))) {
      const longer = line === "" ? word : `${line} ${word}`;
      if (line !== "" && this.#measureWidth(longer, column.weight) > column.width) {
        lines.push(line);
        line = word;
      } else line = longer;
    }
    return [...lines, line];
  }

  #breakWord(word: string, { width, weight }: Column): readonly string[] {
    if (this.#measureWidth(word, weight) <= width) return [word];
    const parts: string[] = [""];
    for (const character of word) {
      const longer = `${parts.at(-1) ?? ""}${character}`;
      if (this.#measureWidth(longer, weight) > width) parts.push(character);
      else parts[parts.length - 1] = longer;
    }
    return parts;
  }
}

/** Where a text stands; left out: the whole width. */
interface Place {
  x: number;
  width: number;
}
