import { expect, it } from "vitest";
import { InvoiceDocument } from "./document.ts";
import { writeCsv } from "./invoice-csv.ts";

const party = { name: 'Beispiel "Reisen", GmbH', addressLines: [], countryCode: "DE", taxId: "DE1", email: null };
const document = InvoiceDocument.parse({
  kind: "credit_note",
  number: "CN-000001",
  issuedOn: "2026-11-27",
  dueOn: "2026-11-27",
  sandbox: true,
  language: "en",
  seller: party,
  buyer: { ...party, name: "=HYPERLINK(1)", reference: "-PO 4711" },
  corrects: { number: "INV-000001", issuedOn: "2026-11-20" },
  booking: { bookingId: "b", tripId: "t", orderId: null, pnr: null, travelers: [], tickets: [], journey: [] },
  lines: [],
  currency: "USD",
  total: "-12.50",
  tax: { treatment: "none", ratePercent: null, includedAmount: null, note: null },
  settlement: {
    totalUsdc: "-12.50",
    txHash: "0x1",
    chainId: 1,
    settledAt: "2026-11-20T12:00:00Z",
    rate: { from: "USD", to: "USDC", value: "1", source: "fixed" },
  },
});

it("quotes commas and quotation marks, keeps amounts, and lets no text be a formula", () => {
  const [header, line, end] = writeCsv([{ document }]).toString().split("\r\n");
  expect(header).toMatch(/^number,kind,corrects,issuedOn,dueOn,seller,/);
  expect(line).toContain(`CN-000001,credit_note,INV-000001,2026-11-27,2026-11-27,"Beispiel ""Reisen"", GmbH",DE1,`);
  expect(line).toContain(",'=HYPERLINK(1),DE1,'-PO 4711,-12.50,USD,none,,,-12.50,");
  expect(end).toBe("");
});
