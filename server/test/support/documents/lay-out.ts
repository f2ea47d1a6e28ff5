import type { PageText, Reading, TextLine, Word } from "../../../src/modules/documents/reading/page.ts";

export interface Layout {
  source?: PageText["source"];
  /** The confidence of every word. */
  confidence?: number;
  /** Characters that fit on a line. */
  columns?: number;
}

const EAST_ASIAN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]/u;
const countColumns = (text: string): number =>
  Array.from(text).reduce((sum, character) => sum + (EAST_ASIAN.test(character) ? 2 : 1), 0);

/** A reading of pages whose text stands in the characters of one width, each page with its lines from top to bottom. */
export function layOut(
  pages: string | readonly string[],
  { source = "text", confidence = 1, columns = 60 }: Layout = {},
): Reading {
  const texts = typeof pages === "string" ? [pages] : pages;
  return {
    pageCount: texts.length,
    pages: texts.map((text, index) => ({ page: index + 1, source, lines: layOutLines(text, confidence, columns) })),
    barcodes: [],
    mrz: [],
    eInvoice: undefined,
  };
}

function layOutLines(text: string, confidence: number, columns: number): TextLine[] {
  const lines = text.replace(/^\n/, "").split("\n");
  const height = 1 / Math.max(60, lines.length + 2);
  return lines.flatMap((line, index) => {
    const words: Word[] = [...line.matchAll(/[^ ]+/g)].map((match) => ({
      text: match[0],
      confidence,
      box: {
        x: countColumns(line.slice(0, match.index)) / columns,
        y: (index + 1) * height,
        width: countColumns(match[0]) / columns,
        height: height * 0.8,
      },
    }));
    return words.length === 0 ? [] : [{ words }];
  });
}
