import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import sharp from "sharp";
import { expect, it, onTestFinished } from "vitest";
import { drawPdf, drawText } from "../../../../test/support/small-documents.ts";
import type { DocumentType } from "../receiving/document-type.ts";
import { Scanner, type ScannerSettings, type ScanRequest } from "./scanner.ts";
import { ScanningProcess, scanningOptions } from "./scanning-process.ts";

const SETTINGS: ScannerSettings = { processes: 1, timeoutMilliseconds: 120_000, memoryMegabytes: 1_000 };
const PAGE = drawText(["Total 12.30 EUR"]);
/** Needs no text recognition. */
const TEXT = await drawPdf((pdf) => pdf.text("Total 12.30 EUR"));

function openScanner(settings: Partial<ScannerSettings> = {}, failed: (how: string) => void = () => {}): Scanner {
  const scanner = new Scanner({ ...SETTINGS, ...settings }, { failed });
  onTestFinished(() => scanner.close());
  return scanner;
}

function buildRequest(bytes: Uint8Array, type: DocumentType, changes: Partial<ScanRequest> = {}): ScanRequest {
  return {
    bytes,
    type,
    kind: "receipt",
    today: Temporal.PlainDate.from("2026-11-26"),
    owner: "tenant",
    signal: new AbortController().signal,
    ...changes,
  };
}

it("each document is read in a separate process, and its pages are drawn on request", async () => {
  const scanner = openScanner();
  const steps: string[] = [];
  const progress = (step: string) => steps.push(step);
  const { scan, images } = await scanner.scan(buildRequest(PAGE, "png", { wantsImages: true, progress }));
  expect(scan).toMatchObject({ pages: 1 });
  expect(steps).toEqual(["recognising the text of page 1"]);
  expect(await sharp(images[0]).metadata()).toMatchObject({ format: "jpeg", width: 900 });
  expect(await scanner.scan(buildRequest(TEXT, "pdf"))).toMatchObject({ scan: { pages: 1 }, images: [] });
  expect(scanner.stats()).toMatchObject({ running: 0, waiting: 0, waitingBytes: 0, scans: { read: 2, failed: 0 } });
});

it("the process has no environment, no network, and no file but its own code", async () => {
  const program = `
    const { readFileSync, writeFileSync, readdirSync } = require("node:fs");
    const attempt = (work) => { try { return work() } catch (error) { return error.code } };
    (async () => console.log(JSON.stringify({
      environment: Object.keys(process.env),
      fetch: await fetch("http://127.0.0.1:65000/").catch((error) => error.cause?.code ?? error.code),
      connect: await new Promise((done) => attempt(() => require("node:net").connect(9, "127.0.0.1").on("error", (error) => done(error.code))) ?? done("opened")).catch((error) => error.code),
      look: await new Promise((done) => require("node:dns").lookup("localhost", (error) => done(error?.code))),
      write: attempt(() => writeFileSync("/tmp/left-behind", "")),
      read: attempt(() => readFileSync("/etc/passwd")),
      list: attempt(() => readdirSync("/")),
      spawn: attempt(() => require("node:child_process").execFileSync("/bin/true")),
      own: attempt(() => readFileSync(process.argv[1], "utf8").length > 0),
    })))()`;
  const own = fileURLToPath(new URL("./scan-process.ts", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [...scanningOptions(), "-e", program, own], {
    env: {},
  });
  expect(JSON.parse(stdout)).toEqual({
    environment: [],
    fetch: "ERR_ACCESS_DENIED",
    connect: "ERR_ACCESS_DENIED",
    look: "ERR_ACCESS_DENIED",
    write: "ERR_ACCESS_DENIED",
    read: "ERR_ACCESS_DENIED",
    list: "ERR_ACCESS_DENIED",
    spawn: "ERR_ACCESS_DENIED",
    own: true,
  });
});

it("a document that takes too long is abandoned, and the next one is read", async () => {
  const hasty = openScanner({ timeoutMilliseconds: 1 });
  await expect(hasty.scan(buildRequest(PAGE, "png"))).rejects.toMatchObject({ code: "scan_timeout" });
  await expect(hasty.scan(buildRequest(PAGE, "png"))).rejects.toMatchObject({ code: "scan_timeout" });
  expect(hasty.stats()).toMatchObject({ running: 0, scans: { timeout: 2 } });
});

it("the wait of its caller counts, so that the answer comes before the caller leaves", async () => {
  const scanner = openScanner({ timeoutMilliseconds: 60_000 });
  const waited = (milliseconds: number) =>
    scanner.scan({ ...buildRequest(PAGE, "png"), arrivedAt: performance.now() - milliseconds });
  await expect(waited(60_000)).rejects.toMatchObject({
    code: "scan_timeout",
    detail: expect.stringContaining("waiting for its turn took longer than 60 s"),
  });
  expect((await waited(1_000)).scan.pages).toBe(1);
});

it("a document that needs too much memory is abandoned", async () => {
  const small = openScanner({ memoryMegabytes: 20 });
  await expect(small.scan(buildRequest(PAGE, "png"))).rejects.toMatchObject({
    code: "document_too_large",
    detail: expect.stringContaining("20 MB"),
  });
});

it("a process that dies is an internal error, and the operator learns where", async () => {
  const died = new ScanningProcess(1_000);
  process.kill(died.pid ?? 0, "SIGKILL");
  const order = { type: "png", kind: "receipt", today: "2026-11-26", wantsImages: false } as const;
  await expect(died.scan(order, PAGE, () => {})).rejects.toMatchObject({ ending: "crashed" });
  const said: string[] = [];
  const scanner = openScanner({}, (how) => said.push(how));
  // A calendar that the process does not expect makes it throw with a message.
  const today = Temporal.PlainDate.from("2026-11-26").withCalendar("buddhist");
  Object.defineProperty(today, "toString", { value: () => "secret words" });
  await expect(scanner.scan(buildRequest(PAGE, "png", { today }))).rejects.toMatchObject({ code: "scanner_failed" });
  expect(said.join()).toMatch(/RangeError\n.*scan-process/s);
  expect(said.join()).not.toContain("secret");
  expect(scanner.stats()).toMatchObject({ running: 0, scans: { failed: 1 } });
});

it("owners take turns, and waiting documents are told and counted", async () => {
  // On a busy machine one document alone can take longer than a caller waits.
  const scanner = openScanner({ waitMilliseconds: 600_000 });
  const ended: string[] = [];
  const steps: string[] = [];
  const scan = async (owner: string, name: string) => {
    await scanner.scan(buildRequest(TEXT, "pdf", { owner, progress: (step) => steps.push(`${name}: ${step}`) }));
    ended.push(name);
  };
  const scans = [scan("one", "first"), scan("one", "second"), scan("one", "third"), scan("other", "other's")];
  const outcomes = Promise.allSettled(scans);
  expect(scanner.stats()).toMatchObject({ waiting: 4, waitingBytes: 4 * TEXT.length });
  await scans[3];
  expect(ended).toContain("first");
  expect(ended).not.toContain("third");
  await scanner.close();
  await outcomes;
  expect(steps).toEqual(
    expect.arrayContaining(["second: waiting for another document", "other's: waiting for 3 other documents"]),
  );
  expect(scanner.stats()).toMatchObject({ running: 0, waiting: 0, waitingBytes: 0, scans: { left: 1 } });
  expect(scanner.stats().waitSeconds).toBeGreaterThan(0);
});

it("documents beyond those that may wait are refused, by number and by size", async () => {
  for (const [settings, most] of [
    [{ mostWaitingPerOwner: 1 }, 2],
    [{ mostWaitingMegabytes: 0 }, 1],
  ] as const) {
    const scanner = openScanner(settings);
    const scans = Array.from({ length: most }, () => scanner.scan(buildRequest(TEXT, "pdf")));
    const outcomes = Promise.allSettled(scans);
    await expect(scanner.scan(buildRequest(TEXT, "pdf"))).rejects.toMatchObject({ code: "rate_limited" });
    // Control: the others were admitted, and end only because nobody waits any more.
    await scanner.close();
    expect(await outcomes).toMatchObject(scans.map(() => ({ reason: { code: "draining" } })));
    expect(scanner.stats()).toMatchObject({ waiting: 0, waitingBytes: 0 });
  }
});

it("a document that nobody waits for any more is neither read nor kept waiting", async () => {
  const scanner = openScanner();
  const gone = [new AbortController(), new AbortController()];
  const begun = Promise.withResolvers<void>();
  const scans = gone.map(({ signal }) =>
    scanner.scan(
      buildRequest(PAGE, "png", { signal, progress: (step) => step.startsWith("recog") && begun.resolve() }),
    ),
  );
  const outcomes = Promise.allSettled(scans);
  await begun.promise;
  for (const controller of gone) controller.abort();
  for (const outcome of await outcomes)
    expect(outcome).toMatchObject({ status: "rejected", reason: { code: "draining" } });
  expect(scanner.stats()).toMatchObject({ running: 0, waiting: 0, waitingBytes: 0 });
});

it("a closed scanner leaves no process behind and reads nothing more", async () => {
  const scanner = openScanner();
  const begun = Promise.withResolvers<void>();
  const scan = scanner.scan(buildRequest(PAGE, "png", { progress: () => begun.resolve() }));
  const outcome = expect(scan).rejects.toMatchObject({ code: "draining" });
  await begun.promise;
  await scanner.close();
  await outcome;
  await expect(scanner.scan(buildRequest(PAGE, "png"))).rejects.toMatchObject({ code: "draining" });
  expect(scanner.stats()).toMatchObject({ running: 0 });
});

it("a refused document reports the reason", async () => {
  const scanner = openScanner();
  const encrypted = await drawPdf((pdf) => pdf.text("secret"), { userPassword: "wayfare" });
  await expect(scanner.scan(buildRequest(encrypted, "pdf"))).rejects.toMatchObject({ code: "document_encrypted" });
  expect(scanner.stats()).toMatchObject({ running: 0, scans: { refused: 1, failed: 0 } });
});
