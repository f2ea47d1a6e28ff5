import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, relative, resolve } from "node:path";
import { expect, it } from "vitest";
import { openEscrow } from "../../../test/support/escrow.ts";
import { settledFlight } from "../../../test/support/settled-flight.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { requireResult } from "../../../test/support/treasury.ts";
import { modules } from "../../contributions.ts";

const REPOSITORY = resolve(import.meta.dirname, "../../../..");
const TEN_MINUTES = 600_000;

/** This file runs twice: here, and in a copy of the repository whose list of modules lacks `e-invoices`. */
const isLeftOut = modules.every(({ name }) => name !== "e-invoices");

it.skipIf(isLeftOut)(
  "an installation without e-invoices compiles, starts and issues plain invoices",
  () => {
    const copy = mkdtempSync(join(tmpdir(), "wayfare-without-e-invoices-"));
    try {
      const isCopied = (path: string) => !["node_modules", ".git"].includes(basename(path));
      cpSync(REPOSITORY, copy, { recursive: true, filter: isCopied });
      symlinkSync(join(REPOSITORY, "node_modules"), join(copy, "node_modules"));
      const list = join(copy, "server/src/modules/index.ts");
      const lines = readFileSync(list, "utf8").split("\n");
      const left = lines.filter((line) => !line.includes("eInvoicesModule"));
      expect(lines.length - left.length).toBe(2);
      writeFileSync(list, left.join("\n"));
      const run = (program: string, ...args: string[]) =>
        execFileSync(process.execPath, [join(copy, "node_modules", program), ...args], { cwd: copy, encoding: "utf8" });
      writeFileSync(join(copy, "tsconfig.json"), `{ "extends": "./tsconfig.base.json", "include": ["server"] }`);
      run("typescript/bin/tsc", "--noEmit", "--singleThreaded", "-p", ".");
      const said = run("vitest/vitest.mjs", "run", "--project=long", relative(REPOSITORY, import.meta.filename));
      expect(said).toMatch(/1 passed/);
    } finally {
      rmSync(copy, { recursive: true, force: true });
    }
  },
  TEN_MINUTES,
);

it.runIf(isLeftOut)("an invoice of such an installation says that it is no e-invoice", async () => {
  await using service = await openSharedService();
  const escrow = openEscrow(service);
  const { bookingId } = await settledFlight(service, escrow);
  expect(requireResult(await service.call("generate_booking_invoice", { bookingId }))).toMatchObject({
    invoiceNumber: "SANDBOX-INV-000001",
    eInvoice: { available: false, reason: "This installation makes no e-invoices." },
  });
  await escrow.close();
});
