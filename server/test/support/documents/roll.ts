import type { Random } from "./random.ts";
import type { Language } from "./regions.ts";
import { type Font, Sheet } from "./sheet.ts";

const LATIN_FONTS: readonly Font[] = ["courier", "inconsolata", "roboto", "lora", "dejavu"];

export const fontFor = (random: Random, language: Language): Font =>
  language === "jpn" ? "gothic" : random.pick(LATIN_FONTS);

/** A sheet that is written from top to bottom, such as paper of a till. */
export class Roll {
  readonly sheet: Sheet;
  readonly left: number;
  readonly right: number;
  readonly size: number;
  private y: number;
  private readonly leading: number;

  constructor(facts: { width: number; margin: number; font: Font; size: number; leading: number; height?: number }) {
    const { width, margin, font, size, leading, height = 0 } = facts;
    this.sheet = new Sheet({ width, height, font, size });
    this.left = margin;
    this.right = width - margin;
    this.size = size;
    this.leading = leading;
    this.y = margin + size * 1.4;
  }

  private step(factor = 1): void {
    this.y += this.size * this.leading * factor;
    this.sheet.height = Math.max(this.sheet.height, this.y + this.left);
  }

  gap(factor = 0.6): void {
    this.step(factor);
  }

  center(text: string, style: { size?: number; bold?: boolean } = {}): void {
    this.sheet.text((this.left + this.right) / 2, this.y, text, { ...style, align: "middle" });
    this.step((style.size ?? this.size) / this.size);
  }

  write(text: string, style: { size?: number; bold?: boolean } = {}): void {
    this.sheet.text(this.left, this.y, text, style);
    this.step((style.size ?? this.size) / this.size);
  }

  /** The texts at the left and at the right margin. */
  row(left: string, right: string, style: { size?: number; bold?: boolean; indent?: number } = {}): void {
    const { indent = 0, ...text } = style;
    // Larger letters need their room above the base line.
    this.y += (style.size ?? this.size) - this.size;
    this.sheet.text(this.left + indent, this.y, left, text);
    this.sheet.text(this.right, this.y, right, { ...text, align: "end" });
    this.step();
  }

  /** Texts that end at fractions of the width; the first one begins at the left margin. */
  columns(texts: readonly string[], ends: readonly number[], style: { bold?: boolean; size?: number } = {}): void {
    for (const [index, text] of texts.entries()) {
      const x = this.left + (this.right - this.left) * (ends[index] ?? 1);
      this.sheet.text(index === 0 ? this.left : x, this.y, text, { ...style, align: index === 0 ? "start" : "end" });
    }
    this.step((style.size ?? this.size) / this.size);
  }

  rule(dash = 0): void {
    this.sheet.rule(this.y - this.size * 0.6, this.left, this.right, { dash });
    this.step(0.7);
  }
}
