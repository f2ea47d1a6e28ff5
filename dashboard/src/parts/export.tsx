import { useMutation } from "@tanstack/react-query";
import { api } from "../api.ts";
import type { Page } from "./pages.tsx";
import { Problem } from "./states.tsx";

const PAGE = 200;
const MOST_ROWS = 10_000;
/** A search for what is rare can have pages without a row. */
const MOST_PAGES = 200;

/** A spreadsheet must take no value for a formula. */
function writeCell(value: unknown): string {
  const text =
    value === null || value === undefined ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
  const harmless = /^[=+\-@\t\r]/.test(text) && typeof value !== "number" ? `'${text}` : text;
  return /[",\n\r]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

const TYPES = { csv: "text/csv", jsonl: "application/x-ndjson" } as const;
type Format = keyof typeof TYPES;

interface Exported<Answer extends Page, Row extends object> {
  /** The name of the file. */
  name: string;
  /** The list’s, without a cursor or a limit. */
  path: string;
  columns: readonly (keyof Row & string)[];
  read: (page: Answer) => readonly Row[];
}

async function readAll<Answer extends Page, Row extends object>({ path, read }: Exported<Answer, Row>): Promise<Row[]> {
  const rows: Row[] = [];
  const mark = path.includes("?") ? "&" : "?";
  let cursor: string | null = "";
  for (let pages = 0; cursor !== null && rows.length < MOST_ROWS && pages < MOST_PAGES; pages += 1) {
    const after: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const page: Answer = await api<Answer>(`${path}${mark}limit=${PAGE}${after}`);
    rows.push(...read(page));
    cursor = page.nextCursor;
  }
  return rows.slice(0, MOST_ROWS);
}

function write<Row extends object>(rows: readonly Row[], columns: readonly (keyof Row & string)[], format: Format) {
  if (format === "jsonl") return rows.map((row) => JSON.stringify(row)).join("\n");
  const lines = rows.map((row) => columns.map((name) => writeCell(row[name])).join(","));
  return [columns.join(","), ...lines].join("\r\n");
}

function offer(text: string, { type, name }: { type: string; name: string }): void {
  const address = URL.createObjectURL(new Blob([`${text}\n`], { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}

/** The newest 10,000 rows of a list as a file. */
export function Export<Answer extends Page, Row extends object>(props: Exported<Answer, Row>) {
  const { name, columns } = props;
  const made = useMutation({
    mutationFn: async (format: Format) => {
      const rows = await readAll(props);
      offer(write(rows, columns, format), { type: TYPES[format], name: `${name}.${format}` });
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
