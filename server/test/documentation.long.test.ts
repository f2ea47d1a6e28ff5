import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { EXAMPLE_RECEIPT } from "../src/modules/documents/example-document.ts";
import { startTestService, type TestService } from "./support/service.ts";

/** Every shell block of the documentation is pasted into a fresh shell for each page, in the order of the page. */
vi.setConfig({ testTimeout: 300_000 });

const root = resolve(import.meta.dirname, "../..");
const pagesIn = (folder: string) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name));
const FENCE = /^```(?:sh|bash|shell)\n(?<block>[\s\S]*?)^```$/gm;

/** Blocks that do not run here, by the beginning of their first line, and why. */
const LEFT_OUT = [
  { page: "README.md", starts: "npm start", because: "start.test.ts starts the product" },
  { page: "README.md", starts: "claude mcp add", because: "a program of another company" },
  { page: "docs/backup.md", starts: "# in the terminal", because: "backup.long.test.ts" },
  { page: "docs/backup.md", starts: "npm run restore", because: "backup.long.test.ts" },
  { page: "docs/backup.md", starts: "npm run chain", because: "needs a live chain" },
  { page: "docs/connect.md", starts: "claude mcp add", because: "a program of another company" },
  { page: "docs/connect.md", starts: "npx -y", because: "downloads a program" },
  { page: "docs/connect.md", starts: "npm run bundle", because: "bundle.test.ts builds it" },
  { page: "docs/events.md", starts: "npm run events -- listen", because: "runs until it is stopped" },
  { page: "docs/going-live.md", starts: "npm run chain", because: "needs a live chain" },
  { page: "docs/guest-claims.md", starts: "SMTP_URL=", because: "needs a mail server" },
  { page: "docs/invoices.md", starts: "npm install", because: "downloads programs" },
  { page: "docs/scanning.md", starts: "curl -s", because: "a file of the reader's" },
] as const;

/** Pages whose blocks continue those of another page. */
const CONTINUES: Readonly<Record<string, string>> = { "docs/invoices.md": "docs/escrow.md" };

const isLeftOut = (page: string, block: string) =>
  LEFT_OUT.some((left) => left.page === page && block.startsWith(left.starts));

interface Page {
  page: string;
  blocks: readonly { line: number; block: string }[];
}

function readPage(page: string): Page {
  const text = readFileSync(join(root, page), "utf8");
  const blocks = [...text.matchAll(FENCE)].map(({ index, groups }) => ({
    line: text.slice(0, index).split("\n").length + 1,
    block: groups?.block ?? "",
  }));
  return { page, blocks };
}

const withBlocks = ({ blocks }: Page) => blocks.length > 0;
const guides = ["README.md", ...pagesIn("docs"), ...pagesIn("docs/errors")].map(readPage).filter(withBlocks);
const toolPages = pagesIn("docs/tools").map(readPage).filter(withBlocks);

interface Pasted {
  code: number | null;
  output: string;
  /** The status of each response that curl got, in order. */
  statuses: readonly number[];
}

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

/** A folder like the reader's clone, with `curl` and `npm run` reaching this product. */
async function paste({ page, blocks }: Page, service: TestService): Promise<Pasted> {
  const folder = mkdtempSync(join(tmpdir(), "wayfare documentation "));
  folders.push(folder);
  const bin = join(folder, "bin");
  mkdirSync(bin);
  symlinkSync(service.dataDir, join(folder, ".data"));
  writeFileSync(join(folder, "receipt.jpg"), Buffer.from(EXAMPLE_RECEIPT, "base64"));
  const statuses = join(folder, "statuses");
  writeFileSync(statuses, "");
  const tool = (name: string, text: string) => writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  tool("node", `exec '${process.execPath}' "$@"`);
  tool(
    "curl",
    `PATH=$OUTER_PATH curl "$@" -w '%{stderr}@@%{http_code}\\n' 2>"$0.$$"; code=$?
grep '^@@' "$0.$$" | tr -d @ >>'${statuses}'; exit $code`,
  );
  tool(
    "npm",
    `case $1 in
  run) ;;
  pack) cd '${root}' && PATH=$OUTER_PATH exec npm "$@" ;; # of the repository, into the reader's folder
  *) PATH=$OUTER_PATH exec npm "$@" ;;
esac
shift; [ "$1" = -s ] && shift; name=$1; shift; [ "$1" = -- ] && shift
exec '${process.execPath}' '${root}'/server/src/commands/"$name".ts "$@"`,
  );
  const before = CONTINUES[page];
  const all = before === undefined ? blocks : [...readPage(before).blocks, ...blocks];
  const script = all
    .filter(({ block }) => !isLeftOut(page, block))
    .map(({ line, block }) => `echo '--- ${page}:${line}' >&2\n${block}`)
    .join("\n")
    .replaceAll("http://127.0.0.1:3000", service.appUrl)
    .replaceAll("http://127.0.0.1:3001", service.edgeUrl);
  const { PATH = "" } = process.env;
  const child = spawn("bash", ["-euo", "pipefail", "-c", script], {
    cwd: folder,
    env: {
      PATH: `${bin}:${PATH}`,
      OUTER_PATH: PATH,
      DATA_DIR: service.dataDir,
      // Whoever runs the tests may have no home that npm could write to.
      npm_config_cache: join(folder, "npm"),
      DATABASE_URL: service.config.databaseUrl,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const code = await new Promise<number | null>((done) => child.once("close", done));
  const lines = readFileSync(statuses, "utf8").trim();
  return { code, output, statuses: lines === "" ? [] : lines.split("\n").map(Number) };
}

it("leaves out no more than it says", () => {
  const blocks = guides.flatMap(({ page, blocks }) => blocks.map(({ block }) => ({ page, block })));
  for (const left of LEFT_OUT) {
    const found = blocks.filter(({ page, block }) => page === left.page && block.startsWith(left.starts));
    expect(found, `${left.page}: ${left.starts}`).not.toEqual([]);
  }
});

describe("guides", () => {
  it.each(guides)("$page", async (page) => {
    await using service = await startTestService();
    await service.isFunded(service.tenantId);
    const { code, output, statuses } = await paste(page, service);
    expect(code, output).toBe(0);
    expect(
      statuses.filter((status) => status >= 300),
      output,
    ).toEqual([]);
  });
});

describe("pages of tools", () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
    await service.isFunded(service.tenantId);
  });
  afterAll(() => service[Symbol.asyncDispose]());

  it.each(toolPages)("$page", async (page) => {
    const { code, output, statuses } = await paste(page, service);
    expect(code, output).toBe(0);
    expect(statuses, output).toHaveLength(1);
    // Ids in the examples are those of the deployment that recorded them.
    const hasIds = readFileSync(join(root, page.page), "utf8").includes("replace the ids with your own");
    if (hasIds) expect(output).not.toContain("invalid_input");
    else expect(statuses, output).toEqual([200]);
  });
});
