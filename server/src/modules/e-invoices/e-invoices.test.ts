import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { inflateSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { openEscrow } from "../../../test/support/escrow.ts";
import { programAt } from "../../../test/support/programs.ts";
import { dropSandboxDatabase, startTestService, type TestService } from "../../../test/support/service.ts";
import { settledFlight } from "../../../test/support/settled-flight.ts";
import { createMigratedDatabase } from "../../../test/support/test-database.ts";
import { requireResult } from "../../../test/support/treasury.ts";
import { inEuro, sampleXml, wrongEInvoices } from "../../../test/support/wrong-e-invoices.ts";
import { createVault } from "../../adapters/vault.ts";
import { startApp } from "../../compose.ts";
import { readConfig } from "../../config/config.ts";
import { createStores } from "../../contributions.ts";
import { openDatabase } from "../../platform/database/database.ts";
import { WorkerQueue } from "../../platform/threads/worker-queue.ts";
import { systemClock } from "../../ports/clock.ts";
import { CreditRefundsJob } from "../invoices/credit-refunds-job.ts";
import { InvoiceDocument } from "../invoices/document.ts";
import { EInvoiceRules } from "./e-invoice-rules.ts";
import { createEInvoices } from "./judge-invoice.ts";
import { RulesFile } from "./rules-file.ts";
import { writeCii } from "./write-cii.ts";

const own = resolve(import.meta.dirname, "../../../test/fixtures/own-invoice-rules.xslt");
/** The official rules are not part of the repository: if an operator has compiled them, they are tested too. */
const official = process.env.EINVOICE_RULES;
const folder = mkdtempSync(join(tmpdir(), "wayfare-e-invoice-"));
const compiled = join(folder, "rules.json");

const compile = (from: string, to: string): unknown => {
  const command = resolve(import.meta.dirname, "../../commands/einvoice-rules.ts");
  const args = [command, from, "--to", to, "--json"];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8", stdio: "pipe" }));
};
/** Installs an open processor, sufficient for these tests, in place of the real one. */
const installOpenProcessor = (beside: string): void => {
  mkdirSync(join(beside, "node_modules"), { recursive: true });
  for (const part of ["saxonjs-he", "xslt3-he"]) {
    const from = resolve(import.meta.dirname, "../../../test/fixtures/open-processor", part);
    symlinkSync(from, join(beside, "node_modules", part));
  }
};
let report: unknown;
beforeAll(() => {
  expect(() => compile(own, compiled)).toThrow(/SaxonJS.*not installed beside them.*npm install --prefix/s);
  installOpenProcessor(folder);
  report = compile(own, compiled);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** With every tax; in every currency, or in one each. */
const rightEInvoices = (inEach: boolean) => {
  const corrects = { number: "INV-000001", issuedOn: "2026-11-20" };
  const taxes = [
    ...[["included", "19"] as const, ["included", "7.7"] as const, ["included", "0"] as const],
    ...(["exempt", "reverse_charge", "margin_scheme", "none"] as const).map((treatment) => [treatment, null] as const),
  ];
  const currencies = ["USD", "EUR", "JPY"];
  const more = [sampleXml("included", inEuro), sampleXml("included", { ...inEuro, kind: "credit_note", corrects })];
  const all = taxes.flatMap(([treatment, ratePercent], index) =>
    (inEach ? currencies : currencies.slice(index % 3, (index % 3) + 1)).flatMap((currency) => [
      sampleXml(treatment, { ratePercent, currency }),
      sampleXml(treatment, { ratePercent, currency, kind: "credit_note", corrects }),
    ]),
  );
  return [...all, ...more];
};

/** The number of invoices that the rules refuse, and the expected rules that did not fire. */
async function tryRules(path: string, wrong: typeof wrongEInvoices) {
  const rules = new EInvoiceRules(path);
  try {
    const missed: string[] = [];
    for (const { rule, xml } of wrong) {
      const { findings } = await rules.check(xml);
      if (!findings.some((one) => one.rule === rule && one.severity === "fatal")) missed.push(rule);
    }
    const remarks: unknown[] = [];
    for (const xml of rightEInvoices(path === official)) remarks.push(...(await rules.check(xml)).findings);
    return { missed, remarks };
  } finally {
    rules.close();
  }
}

describe("the rules for e-invoices", () => {
  it("are compiled with their own description, and find wrong invoices, each by its rule, and no right one", async () => {
    const { info } = RulesFile.parse(JSON.parse(readFileSync(compiled, "utf8")));
    expect(info).toMatchObject({ version: "0.0.1", licence: "licence of this repository" });
    expect(report).toMatchObject({ ...info, file: compiled });
    const ids = new Set(readFileSync(own, "utf8").match(/BR-[\w-]+/g));
    const known = wrongEInvoices.filter(({ rule }) => ids.has(rule));
    expect(known).toHaveLength(ids.size);
    expect(await tryRules(compiled, known)).toEqual({ missed: [], remarks: [] });
  });

  it.skipIf(official === undefined)(
    "find every wrong invoice, if they are the official ones (EINVOICE_RULES, which is not in the repository)",
    async () => {
      expect(await tryRules(official ?? "", wrongEInvoices)).toEqual({ missed: [], remarks: [] });
    },
    600_000,
  );

  it("need not check what our e-invoices guarantee: lines are counted, and an amount due has its date", () => {
    for (const xml of rightEInvoices(true)) {
      const lines = [...xml.matchAll(/<ram:LineID>(.*?)<\/ram:LineID>/g)].map(([, id]) => id);
      expect(lines).toEqual(lines.map((_, index) => String(index + 1)));
      expect(lines).not.toEqual([]);
      // BR-CO-25, which the official rules have only as text: an amount due needs a due date.
      const due = /<ram:DuePayableAmount>(.*?)<\/ram:DuePayableAmount>/.exec(xml)?.[1];
      const isInvoice = xml.includes("<ram:TypeCode>380</ram:TypeCode>");
      expect([due, xml.includes("<ram:DueDateDateTime>")]).toEqual(["0.00", isInvoice]);
    }
  });

  it("stop the start of the service if they were not compiled", async () => {
    const database = await createMigratedDatabase();
    const where = { DATA_DIR: join(folder, "data"), DATABASE_URL: database.url, PORT: "0", EDGE_PORT: "0" };
    const config = readConfig({ ...where, LOG_LEVEL: "fatal", EINVOICE_RULES: own });
    const supplierProgram = programAt("sandbox/src/main.ts");
    const starting = startApp(config, { supplierProgram, devnetProgram: programAt("devnet/src/main.ts") });
    await expect(starting).rejects.toThrow(`Not started: ${own} holds no compiled rules for e-invoices.`);
    await dropSandboxDatabase(database.url);
    await database.drop();
  });

  it("report nothing for other documents, are not compiled if they are wrong, and stop a start that cannot read them", async () => {
    const rules = new EInvoiceRules(compiled);
    await expect(rules.check("<a/>")).rejects.toThrow(/no element that they know/);
    await expect(rules.check("<a>")).rejects.toThrow(/was not checked/);
    rules.close();
    const broken = join(folder, "broken.xslt");
    writeFileSync(broken, readFileSync(own, "utf8").replace("match=", "matches="));
    expect(() => compile(broken, join(folder, "broken.json"))).toThrow(/could not be compiled/);
    await expect(new EInvoiceRules(broken).check()).rejects.toThrow(/was not checked/);
    await expect(new EInvoiceRules(undefined).check("")).rejects.toThrow(/not installed/);
  });
});

const settings = (countryCode: string) => ({
  seller: { name: "Example & Co", addressLines: ["1 Main St"], countryCode, taxId: "DE123456789" },
  buyer: { name: "髙橋商事", addressLines: ["東京都"], countryCode: "JP", taxId: "JP1234567" },
  language: "en",
  dueDays: 14,
  tax: { treatment: "included", ratePercent: "19" },
});

/** The seller of the tenant's invoices, in this country. */
async function putSeller(service: TestService, countryCode: string): Promise<void> {
  const headers = { "content-type": "application/json", authorization: `Bearer ${service.apiKey}` };
  const body = JSON.stringify(settings(countryCode));
  expect((await service.send("/api/invoicing", { method: "PUT", headers, body })).status).toBe(200);
}

describe("rules without their processor", () => {
  const apart = mkdtempSync(join(tmpdir(), "wayfare-e-invoice-apart-"));
  let service: TestService;
  beforeAll(async () => {
    const rules = join(apart, "rules.json");
    copyFileSync(compiled, rules);
    service = await startTestService({ EINVOICE_RULES: rules });
  });
  afterAll(async () => {
    await service?.[Symbol.asyncDispose]();
    rmSync(apart, { recursive: true, force: true });
  });

  it("let the service start, but issue no invoice: the error tells what the operator must do", async () => {
    const escrow = openEscrow(service);
    const { bookingId } = await settledFlight(service, escrow);
    await putSeller(service, "DE");
    const refused = await service.call("generate_booking_invoice", { bookingId });
    expect([refused.status, refused.body]).toMatchObject([500, { code: "e_invoice_not_checked", retryable: true }]);
    expect(refused.body.detail).toMatch(/SaxonJS.*not installed.*Nothing was issued.*operator/);
    const headers = { authorization: `Bearer ${service.apiKey}` };
    expect((await service.send("/api/invoices", { headers })).body.invoices).toEqual([]);
    await escrow.close();
  });
});

describe("a thread for invoices", () => {
  const createQueue = (work: string, timeoutMilliseconds: number) =>
    new WorkerQueue<string, string>({
      script: new URL(
        `data:text/javascript,import { parentPort } from "node:worker_threads"; parentPort.on("message", ({ id, input }) => { ${work} parentPort.postMessage({ id, output: input }); });`,
      ),
      timeoutMilliseconds,
      failure: (reason) => new Error(reason),
    });

  it("is ended if it takes too long or too much memory, and the next one works", async () => {
    const slow = createQueue(`if (input === "hang") for (;;);`, 500);
    await expect(slow.run("hang")).rejects.toThrow("it took too long");
    const greedy = createQueue(`if (input === "eat") for (const all = []; ; ) all.push({ all: [all] });`, 60_000);
    await expect(greedy.run("eat")).rejects.toThrow(/memory/);
    for (const queue of [slow, greedy]) {
      expect(await queue.run("again").catch(() => queue.run("again"))).toBe("again");
      queue.stop("the end");
    }
  });

  it("has a bounded queue", async () => {
    const queue = createQueue("", 60_000);
    const all = await Promise.allSettled(Array.from({ length: 70 }, (_, index) => queue.run(String(index))));
    expect(all.filter(({ status }) => status === "fulfilled")).toHaveLength(64);
    queue.stop("the end");
  });
});

describe("an invoice where rules are installed", () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({ EINVOICE_RULES: official ?? compiled });
  });
  afterAll(async () => await service?.[Symbol.asyncDispose]());

  const Files = z.looseObject({ invoiceNumber: z.string(), pdfUrl: z.string(), jsonUrl: z.string() });
  const Invoice = Files.extend({ creditNotes: z.array(Files) });

  /** The files of an answer: the document, and the XML in the PDF. */
  const readFiles = async ({ pdfUrl, jsonUrl }: z.output<typeof Files>) => {
    const document = InvoiceDocument.parse(await (await fetch(jsonUrl)).json());
    const pdf = Buffer.from(await (await fetch(pdfUrl)).arrayBuffer());
    return { document, pdf: pdf.toString("latin1"), xml: embeddedXml(pdf) };
  };

  /** The errors logged by the job that credits refunds: a waiting refund does not block the others. */
  async function runJobTwice(): Promise<unknown[]> {
    const { db, close } = openDatabase(service.config.databaseUrl ?? "", { poolSize: 2, onError: () => undefined });
    const rules = new EInvoiceRules(official ?? compiled);
    try {
      const said: unknown[] = [];
      const stores = createStores(db, systemClock, createVault(randomBytes(32)));
      const log = { error: (about: unknown) => said.push(about) };
      const job = new CreditRefundsJob({ stores, clock: systemClock, eInvoices: createEInvoices(rules), log });
      for (const _ of ["refused", "left out"]) await job.run();
      return said;
    } finally {
      rules.close();
      await close();
    }
  }

  it("is not issued if it breaks one; issued, it is an e-invoice, as is its credit note", async () => {
    const escrow = openEscrow(service);
    const { bookingId, orderId } = await settledFlight(service, escrow);
    await putSeller(service, "XX");
    const tried = { tool: "generate_booking_invoice", args: { bookingId } };
    const { problem } = requireResult(await service.call("preview_call", tried));
    const refused = await service.call("generate_booking_invoice", { bookingId });
    expect(refused.body).toMatchObject({ ok: false, code: "e_invoice_refused", retryable: false });
    expect(refused.body).toMatchObject(Object(problem));
    expect(Object.keys(Object(problem))).toEqual(expect.arrayContaining(["code", "detail", "retryable"]));
    expect(refused.body.detail).toMatch(/BR-CL-14 at CrossIndustryInvoice\/.*SellerTradeParty.*countryCode of seller/);
    const listed = await service.send("/api/invoices", { headers: { authorization: `Bearer ${service.apiKey}` } });
    expect(listed.body.invoices).toEqual([]);
    const series = await service.sql("select last_number from invoice_series where tenant_id = $1", [service.tenantId]);
    expect(series).toEqual([]);

    await putSeller(service, "DE");
    const asked = await Promise.all([1, 2, 3].map(() => service.call("generate_booking_invoice", { bookingId })));
    const [answer] = asked.map((one) => Invoice.parse(requireResult(one)));
    expect(answer).toMatchObject({ invoiceNumber: "SANDBOX-INV-000001", eInvoice: { available: true, reason: null } });
    const { document, pdf, xml } = await readFiles(Invoice.parse(answer));
    expect(document.eInvoice).toMatchObject({ available: true, profile: "EN 16931", findings: [] });
    expect(document.eInvoice.rulesSha256).toMatch(/^[0-9a-f]{64}$/);
    expect(xml).toBe(writeCii(document));
    expect(xml).toContain("<ram:ID>SANDBOX-INV-000001</ram:ID>");
    expect(xml).toContain("SANDBOX - NOT A TAX DOCUMENT");
    expect(pdf).toMatch(/\/AFRelationship \/Alternative\s+\/F \(factur-x\.xml\)/);
    expect(pdf).toContain("<fx:ConformanceLevel>EN 16931</fx:ConformanceLevel>");
    expect(pdf).toContain("<pdfaid:part>3</pdfaid:part>");

    const { cancellationId } = requireResult(await service.call("cancel_order_quote", { orderId }));
    // As if newer rules refuse an invoice that older ones passed: its credit note waits, and the invoice stays readable.
    const stored = `update booking_invoice set document = jsonb_set(document, '{seller,countryCode}', '"XX"') where tenant_id = $1`;
    await service.sql(stored, [service.tenantId]);
    await putSeller(service, "XX");
    requireResult(await service.call("confirm_cancel_order", { cancellationId }));
    expect(await runJobTwice()).toMatchObject([{ bookingId, code: "e_invoice_refused" }]);
    const waiting = Invoice.parse(requireResult(await service.call("generate_booking_invoice", { bookingId })));
    expect(waiting).toMatchObject({
      invoiceNumber: "SANDBOX-INV-000001",
      creditNotes: [],
      creditNoteWaiting: { code: "e_invoice_refused", text: expect.stringContaining("countryCode of seller") },
    });
    expect((await readFiles(waiting)).document.number).toBe("SANDBOX-INV-000001");
    const numbers = "select last_number from invoice_series where tenant_id = $1 and series like '%CN-'";
    expect(await service.sql(numbers, [service.tenantId])).toEqual([]);

    await putSeller(service, "DE");
    const after = Invoice.parse(requireResult(await service.call("generate_booking_invoice", { bookingId })));
    expect(after).toMatchObject({ creditNotes: [{}], creditNoteWaiting: null });
    const note = await readFiles(Files.parse(after.creditNotes[0]));
    expect(note.document.eInvoice.available).toBe(true);
    expect(note.xml).toContain("<ram:TypeCode>381</ram:TypeCode>");
    expect(note.xml).toMatch(/<ram:InvoiceReferencedDocument><ram:IssuerAssignedID>SANDBOX-INV-000001</);
    const rules = new EInvoiceRules(official ?? compiled);
    for (const one of [xml, note.xml]) expect((await rules.check(one)).findings).toEqual([]);
    rules.close();
    await escrow.close();
  });
});

/** The embedded file of a PDF that is an e-invoice. */
function embeddedXml(pdf: Buffer): string {
  for (let at = pdf.indexOf("stream\n"); at !== -1; at = pdf.indexOf("stream\n", at + 7)) {
    const raw = pdf.subarray(at + 7, pdf.indexOf("endstream", at));
    try {
      const text = inflateSync(raw).toString("utf8");
      if (text.includes("<rsm:CrossIndustryInvoice")) return text;
    } catch {
      // Uncompressed, or another kind of stream.
    }
  }
  return "";
}
