import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Browser, chromium, type Page } from "playwright-core";

/** A real browser from npm alone. It is unpacked once for each run (global-setup.ts), so that several runs and users never share one. */

const PACKED = ["chromium.br", "fonts.tar.br", "al2023.tar.br"];
const packedFolder = join(dirname(fileURLToPath(import.meta.resolve("@sparticuz/chromium"))), "..", "bin");

// The packed one names folders of another system. The same font everywhere makes pages look the same everywhere.
const FONT_SETTINGS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir prefix="relative">fonts</dir><cachedir prefix="xdg">fonts</cachedir></fontconfig>
`;

export interface WatchedPage {
  page: Page;
  /** Errors in the page's console, including refusals of its content security policy, and uncaught errors. */
  errors: string[];
  /** Requests to anywhere but the given origin. */
  foreignRequests: string[];
}

export interface TestBrowser {
  browser: Browser;
  /** A fresh page that notes what it should not do. */
  watch(origin: string): Promise<WatchedPage>;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function startBrowser(): Promise<TestBrowser> {
  const folder = mkdtempSync(join(tmpdir(), "wayfare-browser-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const unpacked = await unpackOnce();
    const browser = await chromium.launch({
      executablePath: join(unpacked, "chromium"),
      // Its own sandbox needs privileges that neither containers nor plain users have; it only ever sees our own pages.
      args: ["--no-sandbox", "--no-zygote", "--disable-gpu", "--disable-dev-shm-usage"],
      env: {
        HOME: folder,
        TMPDIR: folder,
        XDG_CACHE_HOME: folder,
        FONTCONFIG_PATH: join(unpacked, "fonts"),
        // Libraries that a minimal system lacks.
        LD_LIBRARY_PATH: join(unpacked, "al2023", "lib"),
      },
    });
    return {
      browser,
      watch: (origin) => watch(browser, origin),
      async [Symbol.asyncDispose]() {
        await browser.close();
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}

/** The run's unpacked browser. It appears as a whole: of two workers that unpack at once, the second one's is thrown away. */
async function unpackOnce(): Promise<string> {
  const run = process.env.TEST_BROWSER_FOLDER;
  if (!run)
    throw new Error("TEST_BROWSER_FOLDER is unset: run tests through vitest with the repository's configuration");
  const unpacked = join(run, "unpacked");
  if (existsSync(unpacked)) return unpacked;
  const folder = mkdtempSync(join(run, "unpacking-"));
  await unpackInto(folder);
  writeFileSync(join(folder, "fonts", "fonts.conf"), FONT_SETTINGS);
  try {
    renameSync(folder, unpacked);
  } catch (error) {
    if (!existsSync(unpacked)) throw error;
    rmSync(folder, { recursive: true, force: true });
  }
  return unpacked;
}

/** In a separate process: the package unpacks into its process's temporary folder, which is shared here. */
async function unpackInto(folder: string): Promise<void> {
  const paths = PACKED.map((name) => join(packedFolder, name));
  const unpack = `
    import { inflate } from ${JSON.stringify(import.meta.resolve("@sparticuz/chromium"))};
    await Promise.all(${JSON.stringify(paths)}.map((path) => inflate(path)));
  `;
  await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", unpack], { env: { TMPDIR: folder } });
}

async function watch(browser: Browser, origin: string): Promise<WatchedPage> {
  const page = await browser.newPage();
  // Within the limit of a test: what was waited for in vain is named.
  page.setDefaultTimeout(120_000);
  const errors: string[] = [];
  const foreignRequests: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(`${message.text()} (${message.location().url})`);
  });
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.origin !== origin && !["data:", "blob:"].includes(url.protocol)) foreignRequests.push(request.url());
  });
  return { page, errors, foreignRequests };
}
