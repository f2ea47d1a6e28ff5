import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { RenderedDocument } from "../../server/test/support/documents/truth.ts";

/** Receipts of a folder whose names say what is on them: `lidl_30042020_08_01958.jpg` is of 30 April 2020 and for 19.58 euros. */
export async function* readRealReceipts(folder: string, count: number | undefined): AsyncGenerator<RenderedDocument> {
  for (const name of readdirSync(folder).toSorted().slice(0, count)) {
    const [, day, month, year, cents] = /^[a-z]+_(\d\d)(\d\d)(\d{4})_(?:\d+_)?(\d{4,})\D*\.jpe?g$/.exec(name) ?? [];
    if (cents === undefined) continue;
    const padded = String(Number(cents)).padStart(3, "0");
    yield {
      name,
      kind: "receipt",
      mediaType: "image/jpeg",
      bytes: readFileSync(join(folder, name)),
      truth: {
        fields: {
          issuedOn: [`${year}-${month}-${day}`],
          totalAmount: [`${padded.slice(0, -2)}.${padded.slice(-2)}`],
          currency: ["EUR"],
        },
      },
    };
  }
}
