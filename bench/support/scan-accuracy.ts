import { type CorpusName, corpora } from "../../server/test/support/documents/corpora.ts";
import { describeFinding, judgeAnswer, type Verdict } from "../../server/test/support/documents/judge.ts";
import type { RenderedDocument } from "../../server/test/support/documents/truth.ts";
import { say } from "./compare.ts";
import { type Service, scanDocument } from "./scan-client.ts";

const MEDIAN_SECONDS = 3;

export interface Slice {
  corpus: CorpusName;
  count: number;
  /** Whether a document was read as it must be. */
  isRead(document: RenderedDocument, verdict: Verdict): boolean;
  /** Describes `isRead`. */
  means: string;
  /** The least share of documents that are read; undefined: the slice is shown only. */
  target: number | undefined;
}

const NEEDED_OF_A_PURCHASE = ["totalAmount", "issuedOn", "currency"];
const NEEDED_OF_A_PERSON = ["documentType", "issuingCountry", "nationality", "documentNumber", "familyName", "bornOn"];
const NEEDED_OF_A_DOCUMENT = [...NEEDED_OF_A_PERSON, "sex", "expiresOn"];
const hasAll = (verdict: Verdict, names: readonly string[]) => names.every((name) => verdict.right.includes(name));

const purchase = {
  isRead: (_: RenderedDocument, verdict: Verdict) => hasAll(verdict, NEEDED_OF_A_PURCHASE),
  means: "total, date and currency right",
};
const person = {
  isRead: (_: RenderedDocument, verdict: Verdict) => !verdict.isReviewed && hasAll(verdict, NEEDED_OF_A_DOCUMENT),
  means: "read without review, all but the date of issue required",
};
const flight = {
  isRead: (_: RenderedDocument, { wrong, missing }: Verdict) =>
    [...wrong, ...missing].every(({ field }) => !field.startsWith("legs")),
  means: "every field of every leg right",
};

export const slices: Readonly<Record<"receipts" | "passports" | "boarding", readonly Slice[]>> = {
  receipts: [
    { corpus: "receipts and invoices, clean", count: 60, target: 0.95, ...purchase },
    { corpus: "receipts and invoices, photos", count: 60, target: 0.85, ...purchase },
    { corpus: "receipts and invoices, PDF with text", count: 12, target: undefined, ...purchase },
    { corpus: "receipts and invoices, scanned PDF", count: 12, target: undefined, ...purchase },
  ],
  passports: [
    { corpus: "passports and cards, clean", count: 100, target: 0.8, ...person },
    { corpus: "passports and cards, spoiled", count: 100, target: undefined, ...person },
  ],
  boarding: [
    { corpus: "boarding passes, clean", count: 60, target: 1, ...flight },
    { corpus: "boarding passes, tilted", count: 40, target: 0.9, ...flight },
  ],
};

/** Scans of creased, badly printed paper: only reported, but no wrong value may be accepted. */
export const realReceipt = { name: "real receipts", target: undefined, ...purchase };

/** Scans each document of a slice, one at a time, and prints what came of it. False if a number is not met. */
export async function measureSlice(
  service: Service,
  { corpus, count, isRead, means, target }: Slice,
  options: { count: number | undefined; today: Temporal.PlainDate },
): Promise<boolean> {
  const documents = corpora[corpus](Math.min(count, options.count ?? count), options.today);
  return await measureDocuments(service, documents, { name: corpus, isRead, means, target });
}

export async function measureDocuments(
  service: Service,
  documents: AsyncIterable<RenderedDocument>,
  { name, isRead, means, target }: Omit<Slice, "corpus" | "count"> & { name: string },
): Promise<boolean> {
  const tally = new Tally();
  for await (const document of documents) {
    const scan = await scanDocument(service, document);
    if ("refused" in scan) {
      tally.refuse(document, scan.refused);
      continue;
    }
    const verdict = judgeAnswer(document.truth, scan.answer);
    tally.add(document, verdict, { isRead: isRead(document, verdict), secondsPerPage: scan.seconds / scan.pages });
  }
  return tally.report(name, means, target);
}

class Tally {
  private readonly fields = new Map<string, { right: number; wrong: number; missing: number }>();
  private readonly seconds: number[] = [];
  private readonly lines: string[] = [];
  private all = 0;
  private read = 0;
  private reviewed = 0;
  private accepted = 0;
  private refused = 0;
  private unreviewed = 0;

  refuse({ name }: RenderedDocument, answer: string): void {
    this.all += 1;
    this.refused += 1;
    this.lines.push(`  refused ${name}: ${answer}`);
  }

  add(
    { name, alwaysReviewed }: RenderedDocument,
    verdict: Verdict,
    { isRead, secondsPerPage }: { isRead: boolean; secondsPerPage: number },
  ): void {
    const { right, wrong, missing, isReviewed, codes } = verdict;
    this.all += 1;
    this.seconds.push(secondsPerPage);
    if (isRead) this.read += 1;
    if (isReviewed) this.reviewed += 1;
    else if (wrong.length > 0) this.accepted += 1;
    if (alwaysReviewed === true && !isReviewed) this.unreviewed += 1;
    for (const field of right) this.count(field).right += 1;
    for (const { field } of wrong) this.count(field).wrong += 1;
    for (const { field } of missing) this.count(field).missing += 1;
    if (isRead && wrong.length === 0) return;
    const found = [...wrong, ...missing].map(describeFinding).join("; ");
    const what = wrong.length === 0 ? "not read" : isReviewed ? "wrong, for review" : "WRONG AND ACCEPTED";
    this.lines.push(`  ${what} ${name} [${codes.join(" ")}] ${found}`);
  }

  private count(field: string) {
    const name = field.replace(/\.\d+/, "");
    const counted = this.fields.get(name) ?? { right: 0, wrong: 0, missing: 0 };
    this.fields.set(name, counted);
    return counted;
  }

  report(name: string, means: string, target: number | undefined): boolean {
    const sorted = this.seconds.toSorted((one, other) => one - other);
    const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
    const share = this.all === 0 ? 0 : this.read / this.all;
    const failures = [
      ...(target !== undefined && share < target ? [`fewer than ${target * 100} % are read`] : []),
      ...(this.accepted > 0 ? [`${this.accepted} wrong and accepted`] : []),
      ...(this.unreviewed > 0 ? [`${this.unreviewed} that a person must see were accepted`] : []),
      ...(at(0.5) >= MEDIAN_SECONDS ? [`the median is not under ${MEDIAN_SECONDS} s`] : []),
    ];
    const wanted = target === undefined ? "" : ` (target ${target * 100} %)`;
    say(`${name}: ${this.read} of ${this.all} read${wanted}: ${means}`);
    for (const [field, { right, wrong, missing }] of this.fields) {
      say(`  ${field.padEnd(24)} right ${right}  wrong ${wrong}  left out ${missing}`);
    }
    say(`  for review ${this.reviewed}, refused ${this.refused}, wrong and accepted ${this.accepted}`);
    say(`  seconds a page: median ${at(0.5).toFixed(2)}, p95 ${at(0.95).toFixed(2)}`);
    for (const line of this.lines) say(line);
    say(failures.length === 0 ? "  met" : `  MISSED: ${failures.join("; ")}`);
    return failures.length === 0;
  }
}
