import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Browser, chromium, type Page } from "playwright-core";
import { z } from "zod";

/** A real browser from npm alone. It is unpacked into a folder of its own, so that several runs and users never share one. */

const PACKED = ["chromium.br", "fonts.tar.br", "al2023.tar.br"];
const packedFolder = join(dirname(fileURLToPath(import.meta.resolve("@sparticuz/chromium"))), "..", "bin");

// The packed one names folders of another system. The same font everywhere makes pages look the same everywhere.
const FONT_SETTINGS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir prefix="relative">fonts</dir><cachedir prefix="xdg">fonts</cachedir></fontconfig>
`;

export interface WatchedPage {
  page: Page;
  /** What the page's console called an error, refusals of its content security policy among them, and uncaught errors. */
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
    const [executablePath] = await unpackInto(folder);
    writeFileSync(join(folder, "fonts", "fonts.conf"), FONT_SETTINGS);
    const browser = await chromium.launch({
      ...(executablePath === undefined ? {} : { executablePath }),
      // Its own sandbox needs privileges that neither containers nor plain users have; it only ever sees our own pages.
      args: ["--no-sandbox", "--no-zygote", "--disable-gpu", "--disable-dev-shm-usage"],
      env: {
        HOME: folder,
        TMPDIR: folder,
        XDG_CACHE_HOME: folder,
        FONTCONFIG_PATH: join(folder, "fonts"),
        // Libraries that a minimal system lacks.
        LD_LIBRARY_PATH: join(folder, "al2023", "lib"),
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

/** In a process of its own: the package unpacks into the temporary folder of its process, which is everybody's here. */
async function unpackInto(folder: string): Promise<string[]> {
  const paths = PACKED.map((name) => join(packedFolder, name));
  const unpack = `
    import { inflate } from ${JSON.stringify(import.meta.resolve("@sparticuz/chromium"))};
    console.log(JSON.stringify(await Promise.all(${JSON.stringify(paths)}.map((path) => inflate(path)))));
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", unpack], {
    env: { TMPDIR: folder },
  });
  return z.array(z.string()).parse(JSON.parse(stdout));
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
