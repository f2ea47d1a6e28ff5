// Bundles the dashboard into the folder that its argument names: `node dashboard/build.mjs <folder>`. The folder appears as a
// whole or not at all, so that a start never finds half of it.
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import { build } from "rolldown";

const source = join(import.meta.dirname, "src");
const require = createRequire(import.meta.url);

/** The chart takes the browser's language, which can be a tag that `Intl` refuses; the page is in English anyway. */
const sayNumbersInEnglish = (code) => code.replaceAll("nav.language", '"en"');

/** Files whose names change with their contents, so that browsers keep them for good. */
async function bundle(folder) {
  const { output } = await build({
    input: { app: join(source, "main.tsx") },
    platform: "browser",
    transform: { define: { "process.env.NODE_ENV": '"production"' }, jsx: { runtime: "automatic" } },
    plugins: [{ name: "english-numbers", transform: { filter: { id: /uPlot/ }, handler: sayNumbersInEnglish } }],
    // Packages mark their files for servers with "use client", which means nothing here.
    onLog(level, log, handle) {
      if (log.code !== "MODULE_LEVEL_DIRECTIVE") handle(level, log);
    },
    write: true,
    output: {
      dir: folder,
      format: "esm",
      minify: true,
      entryFileNames: "[name]-[hash].js",
      chunkFileNames: "[name]-[hash].js",
    },
  });
  return output;
}

/** The files that a file asks for at once, and those that these ask for. */
function listImports({ imports }, files, found = new Set()) {
  for (const name of imports) {
    if (found.has(name)) continue;
    found.add(name);
    listImports(files.get(name), files, found);
  }
  return [...found];
}

const target = resolve(process.argv[2] ?? join(import.meta.dirname, ".built", "here"));
mkdirSync(dirname(target), { recursive: true });
const draft = mkdtempSync(join(dirname(target), `${basename(target)}-building-`));
try {
  const output = await bundle(draft);
  const [entry] = output.filter(({ type, isEntry }) => type === "chunk" && isEntry);
  const styles = [join(source, "theme.css"), join(source, "views.css"), require.resolve("uplot/dist/uPlot.min.css")];
  const css = styles.map((file) => readFileSync(file, "utf8")).join("\n");
  const style = `style-${createHash("sha256").update(css).digest("hex").slice(0, 8)}.css`;
  writeFileSync(join(draft, style), css);
  // Loaded together with the entry, before it asks for them.
  const preloads = listImports(entry, new Map(output.map((file) => [file.fileName, file])));
  writeFileSync(join(draft, "manifest.json"), JSON.stringify({ entry: entry.fileName, preloads, style }));
  try {
    renameSync(draft, target);
  } catch {
    // Another process has built the same.
    readFileSync(join(target, "manifest.json"));
  }
} finally {
  rmSync(draft, { recursive: true, force: true });
}
