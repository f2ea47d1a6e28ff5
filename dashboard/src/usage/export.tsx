import { useMutation } from "@tanstack/react-query";
import type { ReadUsageAnswer } from "../answers.ts";
import { api } from "../api.ts";
import { Problem } from "../parts/states.tsx";

type Row = ReadUsageAnswer["records"][number];

const COLUMNS = [
  "id",
  "createdAt",
  "tool",
  "surface",
  "status",
  "subject",
  "keyId",
  "listPriceMicroUsdc",
  "discountPercent",
  "priceMicroUsdc",
  "latencyMs",
  "traceId",
  "idempotencyKey",
  "settlementTx",
] as const satisfies readonly (keyof Row)[];

const PAGE = 200;
const MOST_RECORDS = 10_000;

/** A spreadsheet must take no value for a formula. */
function writeCell(value: unknown): string {
  const text = value === null || value === undefined ? "" : String(value);
  const harmless = /^[=+\-@\t\r]/.test(text) && typeof value !== "number" ? `'${text}` : text;
  return /[",\n\r]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

const FORMATS = {
  csv: {
    type: "text/csv",
    write: (rows: readonly Row[]) =>
      [COLUMNS.join(","), ...rows.map((row) => COLUMNS.map((name) => writeCell(row[name])).join(","))].join("\r\n"),
  },
  jsonl: {
    type: "application/x-ndjson",
    write: (rows: readonly Row[]) => rows.map((row) => JSON.stringify(row)).join("\n"),
  },
} as const;
type Format = keyof typeof FORMATS;

async function readAll(tool: string | undefined): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: string | null = "";
  while (cursor !== null && rows.length < MOST_RECORDS) {
    const query = `${tool === undefined ? "" : `&tool=${tool}`}${cursor === "" ? "" : `&cursor=${cursor}`}`;
    const page: ReadUsageAnswer = await api<ReadUsageAnswer>(`/api/usage?limit=${PAGE}${query}`);
    rows.push(...page.records);
    cursor = page.nextCursor;
  }
  return rows;
}

function offer(text: string, { type, name }: { type: string; name: string }): void {
  const address = URL.createObjectURL(new Blob([`${text}\n`], { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}

/** The newest 10,000 records as a file. */
export function Export({ tool }: { tool: string | undefined }) {
  const made = useMutation({
    mutationFn: async (format: Format) => {
      const rows = await readAll(tool);
      offer(FORMATS[format].write(rows), { type: FORMATS[format].type, name: `usage.${format}` });
    },
  });
  return (
    <>
      {made.error !== null && <Problem error={made.error} />}
      <button type="button" className="plain small" disabled={made.isPending} onClick={() => made.mutate("csv")}>
        CSV
      </button>
      <button type="button" className="plain small" disabled={made.isPending} onClick={() => made.mutate("jsonl")}>
        JSON lines
      </button>
    </>
  );
}
