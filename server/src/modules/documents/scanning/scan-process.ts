// The process that reads one document and ends. Its starter limits its rights (`scanning-process.ts`), sends the
// request to its standard input, and reads the answer from its standard output.
import { setPriority } from "node:os";
import { Worker } from "node:worker_threads";
import { z } from "zod";
import { DocumentRefused } from "../document-scanner.ts";
import { interpret } from "../interpreting/index.ts";
import { drawDocument, readDocument } from "../reading/read-document.ts";
import type { Placement } from "../reading/straighten.ts";
import type { Fields, Scan, ScannedField } from "../scan.ts";
import { type ScanAnswer, ScanOrder } from "./scan-message.ts";

const NEWLINE = 0x0a;
/** Other processes come first, but a busy machine still reads. */
const LOWER_PRIORITY = 10;

/** Only the service ends it; it ignores signals to the whole group, such as from a terminal. */
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
setPriority(LOWER_PRIORITY);
// Libraries log messages about a document there.
Object.assign(console, { log: ignore, info: ignore, warn: ignore, error: ignore, debug: ignore });

const memoryMegabytes = z.coerce.number().int().parse(process.argv[2]);
const watch = new Worker(new URL("./scan-watch.ts", import.meta.url), {
  workerData: { parent: process.ppid, memoryBytes: memoryMegabytes * 1_048_576 },
});
watch.unref();

function ignore(): void {}

const say = (answer: ScanAnswer): boolean => process.stdout.write(`${JSON.stringify(answer)}\n`);

async function main(): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
  const told = Buffer.concat(chunks);
  const end = told.indexOf(NEWLINE);
  // The service has no document for it, or is gone.
  if (end === -1) return;
  say(await answerTo(told.subarray(0, end).toString(), told.subarray(end + 1)));
}

async function answerTo(order: string, bytes: Uint8Array): Promise<ScanAnswer> {
  try {
    return await scan(ScanOrder.parse(JSON.parse(order)), bytes);
  } catch (error) {
    if (!(error instanceof DocumentRefused)) return { failed: describe(error) };
    const { code, detail } = error;
    if (code === "scan_timeout" || code === "scanner_failed") return { failed: code };
    return { refused: code, ...(detail === undefined ? {} : { detail }) };
  }
}

async function scan(order: ScanOrder, bytes: Uint8Array): Promise<ScanAnswer> {
  const { type, kind, today, companyName, transcripts, wantsImages } = order;
  const progress = (step: string) => void say({ step });
  const reading = await readDocument(bytes, type, kind, { transcripts, progress });
  const read = interpret(kind, reading, { today: Temporal.PlainDate.from(today), companyName });
  const images = wantsImages ? await drawDocument(bytes, type) : [];
  const placed = placeScan({ ...read, reasons: [...reading.reasons, ...read.reasons] }, reading.placements);
  return { scan: toMutable(placed), images: images.map((image) => Buffer.from(image).toString("base64")) };
}

/** As the schema of answers types it. */
function toMutable(placed: Scan) {
  const { lines, taxes, legs, reasons, references, ...rest } = placed;
  return {
    ...rest,
    ...(lines === undefined ? {} : { lines: [...lines] }),
    ...(taxes === undefined ? {} : { taxes: [...taxes] }),
    ...(legs === undefined ? {} : { legs: [...legs] }),
    reasons: [...reasons],
    references: [...references],
  };
}

/** The name of an error and where it was thrown. Its message may quote the document. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const places = error.stack?.split("\n").filter((line) => /^\s+at /.test(line)) ?? [];
  return [error.name, ...places.slice(0, 8)].join("\n").slice(0, 4_000);
}

await main();
process.stdout.end(() => process.exit(0));

/** Moves the boxes of a scan's fields from the straightened pages to the original ones. */
function placeScan(scan: Scan, placements: ReadonlyMap<number, Placement>): Scan {
  const placeField = (field: ScannedField): ScannedField => {
    const { page, box } = field.from;
    if (page === null || box === null) return field;
    return { ...field, from: { ...field.from, box: placements.get(page)?.toGiven(box) ?? box } };
  };
  const place = (fields: Fields): Fields =>
    Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, placeField(field)]));
  const placeAll = (all: readonly Fields[] | undefined) => all?.map(place);
  const [lines, taxes, legs] = [placeAll(scan.lines), placeAll(scan.taxes), placeAll(scan.legs)];
  return {
    ...scan,
    fields: place(scan.fields),
    ...(lines === undefined ? {} : { lines }),
    ...(taxes === undefined ? {} : { taxes }),
    ...(legs === undefined ? {} : { legs }),
  };
}
