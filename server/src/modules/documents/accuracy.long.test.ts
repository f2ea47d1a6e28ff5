import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { type CorpusName, corpora } from "../../../test/support/documents/corpora.ts";
import { type Answer, describeFinding, judgeAnswer } from "../../../test/support/documents/judge.ts";
import type { RenderedDocument } from "../../../test/support/documents/truth.ts";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { requireResult } from "../../../test/support/treasury.ts";

let service: TestService;
beforeAll(async () => {
  service = await openSharedService();
});
afterAll(() => service?.[Symbol.asyncDispose]());

const today = Temporal.Now.plainDateISO("UTC");
const Fields = z.record(z.string(), z.object({ value: z.string() }));
const Scanned = z.object({
  fields: Fields,
  lines: z.array(Fields).optional(),
  taxes: z.array(Fields).optional(),
  legs: z.array(Fields).optional(),
  reasons: z.array(z.object({ code: z.string() })),
});

async function scan({ kind, bytes, mediaType }: RenderedDocument): Promise<Answer> {
  const args = { kind, data: bytes.toString("base64"), mediaType };
  return Scanned.parse(requireResult(await service.call("scan_document", args)));
}

const purchase = ["totalAmount", "issuedOn", "currency"];
const person = ["documentNumber", "familyName", "bornOn", "expiresOn"];
const pass = ["passengerName", "bookingReference", "legs.0.flightNumber", "legs.0.origin", "legs.0.departsOn"];

/** At least `least` of `count` documents must have all `needed` fields; the benchmark has the exact figures. */
const slices: readonly { corpus: CorpusName; count: number; least: number; needed: readonly string[] }[] = [
  { corpus: "receipts and invoices, clean", count: 6, least: 5, needed: purchase },
  { corpus: "receipts and invoices, photos", count: 6, least: 4, needed: purchase },
  { corpus: "receipts and invoices, PDF with text", count: 12, least: 12, needed: purchase },
  { corpus: "passports and cards, clean", count: 6, least: 4, needed: person },
  { corpus: "passports and cards, spoiled", count: 6, least: 1, needed: person },
  { corpus: "boarding passes, clean", count: 4, least: 4, needed: pass },
  { corpus: "boarding passes, tilted", count: 4, least: 3, needed: pass },
];

describe("the accuracy of scan_document", () => {
  it.each(slices)("$corpus: at least $least of $count, and nothing wrong without a reason", async (slice) => {
    const accepted: string[] = [];
    let read = 0;
    for await (const document of corpora[slice.corpus](slice.count, today)) {
      const { right, wrong, isReviewed } = judgeAnswer(document.truth, await scan(document));
      if (slice.needed.every((name) => right.includes(name))) read += 1;
      if (!isReviewed) accepted.push(...wrong.map((finding) => `${document.name} ${describeFinding(finding)}`));
    }
    expect(accepted).toEqual([]);
    expect(read).toBeGreaterThanOrEqual(slice.least);
  });

  it("is judged: the answer about one receipt is wrong for another", async () => {
    const [one, other] = await Array.fromAsync(corpora["receipts and invoices, clean"](2, today));
    if (one === undefined || other === undefined) throw new Error("two receipts are needed");
    const answer = await scan(one);
    const names = (truth: RenderedDocument["truth"]) => judgeAnswer(truth, answer).wrong.map(({ field }) => field);
    expect(names(one.truth)).toEqual([]);
    expect(names(other.truth)).toEqual(expect.arrayContaining(["totalAmount", "issuedOn", "currency"]));
  });
});
