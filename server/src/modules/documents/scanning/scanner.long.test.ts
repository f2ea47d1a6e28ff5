import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { deflateSync } from "node:zlib";
import sharp from "sharp";
import { expect, it, onTestFinished } from "vitest";
import { drawPdf, drawText } from "../../../../test/support/small-documents.ts";
import type { DocumentType } from "../receiving/document-type.ts";
import { Scanner, type ScanRequest } from "./scanner.ts";

const PAGE = drawText(["Total 12.30 EUR"]);
const MEMORY_MEGABYTES = 900;

function openScanner(): Scanner {
  const scanner = new Scanner({
    processes: 2,
    processesPerOwner: 2,
    mostWaitingPerOwner: 1_000,
    waitMilliseconds: 3_600_000,
    timeoutMilliseconds: 170_000,
    memoryMegabytes: MEMORY_MEGABYTES,
  });
  onTestFinished(() => scanner.close());
  return scanner;
}

function buildRequest(bytes: Uint8Array, type: DocumentType): ScanRequest {
  return {
    bytes,
    type,
    kind: "receipt",
    today: Temporal.PlainDate.from("2026-11-26"),
    owner: "tenant",
    signal: new AbortController().signal,
  };
}

/** A small PNG that claims to be larger. */
async function forgePng(width: number, height: number): Promise<Buffer> {
  const small = await sharp({ create: { width: 8, height: 8, channels: 3, background: "white" } })
    .png()
    .toBuffer();
  const bytes = Buffer.from(small);
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return Buffer.from(withRightChecksum(bytes));
}

/** Recomputes the header's checksum, which decoders verify. */
function withRightChecksum(bytes: Buffer): Buffer {
  let crc = 0xffffffff;
  for (const byte of bytes.subarray(12, 29)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (0xedb88320 & -(crc & 1));
  }
  bytes.writeUInt32BE((crc ^ 0xffffffff) >>> 0, 29);
  return bytes;
}

/** A page with two gigabytes of spaces, compressed. */
function flateBomb(): Buffer {
  const once = deflateSync(Buffer.alloc(200_000_000, " "));
  const twice = deflateSync(once);
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Contents [4 0 R 4 0 R 4 0 R 4 0 R 4 0 R 4 0 R 4 0 R 4 0 R 4 0 R 4 0 R] >>",
  ];
  const start = `%PDF-1.7\n${objects.map((object, index) => `${index + 1} 0 obj\n${object}\nendobj\n`).join("")}`;
  const stream = `4 0 obj\n<< /Length ${twice.length} /Filter [/FlateDecode /FlateDecode] >>\nstream\n`;
  return Buffer.concat([
    Buffer.from(start + stream, "latin1"),
    twice,
    Buffer.from("\nendstream\nendobj\ntrailer << /Root 1 0 R /Size 5 >>\n%%EOF\n"),
  ]);
}

/** The offsets after the script are wrong, which PDF readers repair. */
async function scripted(): Promise<Buffer> {
  const pdf = await drawPdf((page) => page.text("Total 12.30"));
  const action = "/OpenAction << /S /JavaScript /JS (app.launchURL\\('http://127.0.0.1/'\\)) >>";
  return Buffer.from(pdf.toString("latin1").replace("/Type /Catalog", `/Type /Catalog ${action}`), "latin1");
}

async function documents(): Promise<[name: string, bytes: Buffer, type: DocumentType, codes: readonly string[]][]> {
  const jpeg = await sharp(PAGE).jpeg().toBuffer();
  const webp = await sharp(PAGE).webp().toBuffer();
  const tiff = await sharp(PAGE).tiff().toBuffer();
  const pdf = await drawPdf((page) => page.text("Total"));
  const large = sharp({ create: { width: 8_000, height: 5_000, channels: 3, background: "#eeeeee" } });
  const half = (bytes: Buffer) => bytes.subarray(0, Math.floor(bytes.length / 2));
  return [
    ["half a JPEG", half(jpeg), "jpeg", ["document_damaged"]],
    ["half a WebP", half(webp), "webp", ["document_damaged"]],
    ["half a TIFF", half(tiff), "tiff", ["document_damaged"]],
    ["half a PDF", half(pdf), "pdf", ["document_damaged"]],
    ["only the magic bytes of a PNG", PAGE.subarray(0, 8), "png", ["document_damaged"]],
    ["40 megapixels of PNG", await large.clone().png().toBuffer(), "png", ["read"]],
    ["40 megapixels of JPEG", await large.jpeg().toBuffer(), "jpeg", ["read"]],
    ["a PNG that says it has 400 megapixels", await forgePng(20_000, 20_000), "png", ["document_too_large"]],
    [
      "a PNG that says it has 2^62 pixels",
      await forgePng(0x7fffffff, 0x7fffffff),
      "png",
      ["document_too_large", "document_damaged"],
    ],
    ["a PDF that unpacks to 2 GB", flateBomb(), "pdf", ["document_too_large", "read", "document_damaged"]],
    [
      "a PDF with a page of a kilometre",
      await drawPdf((page) => page.text("x"), { size: [2_800_000, 2_800_000] }),
      "pdf",
      ["document_too_large"],
    ],
    ["a PDF with a script", await scripted(), "pdf", ["read"]],
    ["a PNG with a ZIP behind it", Buffer.concat([PAGE, Buffer.from("PK\x03\x04 and more")]), "png", ["read"]],
    [
      "noise",
      await sharp({
        create: {
          width: 1_500,
          height: 1_500,
          channels: 3,
          background: "white",
          noise: { type: "gaussian", mean: 128, sigma: 60 },
        },
      })
        .png()
        .toBuffer(),
      "png",
      // Nothing takes longer to look through: a busy machine ends it at the limit.
      ["read", "scan_timeout"],
    ],
  ];
}

it("no document crashes the service: each is read or refused for its kind", { timeout: 600_000 }, async () => {
  const scanner = openScanner();
  const outcomes = (await documents()).map(async ([name, bytes, type, codes]) => {
    const outcome = await scanner.scan(buildRequest(bytes, type)).then(
      () => "read",
      (error: unknown) => (error instanceof Error && "code" in error ? String(error.code) : String(error)),
    );
    return { name, outcome, isExpected: codes.includes(outcome) };
  });
  const found = await Promise.all(outcomes);
  expect(found.filter(({ isExpected }) => !isExpected)).toEqual([]);
  expect(scanner.stats()).toMatchObject({ running: 0, scans: { failed: 0 } });
});

it("no part of a document stays in the service's memory", { timeout: 1_800_000 }, async () => {
  const scanner = openScanner();
  const residentMegabytes = () =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? 0) / 1_024;
  const scan = async (count: number) => {
    for (let round = 0; round < count; round += 1) await scanner.scan(buildRequest(PAGE, "png"));
    return residentMegabytes();
  };
  const early = await scan(10);
  const late = await scan(20);
  expect(late - early).toBeLessThan(30);
});

it.skipIf(process.platform !== "linux")("a killed service takes its processes along, busy ones too", async () => {
  const program = `
    const { ScanningProcess } = await import(${JSON.stringify(new URL("./scanning-process.ts", import.meta.url).href)});
    const [idle, busy] = [new ScanningProcess(900), new ScanningProcess(900)];
    const { readFileSync } = await import("node:fs");
    const order = { type: "png", kind: "receipt", today: "2026-11-26", wantsImages: false };
    void busy.scan(order, readFileSync(0), () => console.log(idle.pid, busy.pid));`;
  const service = spawn(process.execPath, ["--input-type=module", "-e", program], {
    cwd: fileURLToPath(new URL(".", import.meta.url)),
    stdio: ["pipe", "pipe", "inherit"],
  });
  const noise = { type: "gaussian", mean: 128, sigma: 60 } as const;
  const page = await sharp({ create: { width: 3_000, height: 3_000, channels: 3, background: "white", noise } })
    .png()
    .toBuffer();
  service.stdin.end(page);
  const line = await new Promise<Buffer>((resolve) => service.stdout.once("data", resolve));
  const pids = String(line).trim().split(" ").map(Number);
  expect(pids).toHaveLength(2);
  const isRunning = (pid: number) => readdirSync("/proc").includes(String(pid));
  expect(pids.every(isRunning)).toBe(true);
  service.kill("SIGKILL");
  await expect.poll(() => pids.filter(isRunning)).toEqual([]);
});
