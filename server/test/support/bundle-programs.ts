import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { type RolldownPluginOption, rolldown } from "rolldown";
import { LOADED_MOST } from "./compile-cache.ts";
import { bundlePath, PROGRAMS, REPOSITORY } from "./programs.ts";

const CACHE = join(REPOSITORY, "node_modules/.cache");

/** They load machine code or other files that lie beside them. */
const LEFT_OUT = [/^secp256k1/, /^tiny-secp256k1/, /^@resvg\//, /^pg-native$/];

/** A module's own location stays true, so that it finds the files beside it; a program finds the bundles of the others. */
function keepPlaces(folder: string): RolldownPluginOption {
  const bundles = new Map(
    PROGRAMS.map((path) => [pathToFileURL(join(REPOSITORY, path)).href, bundlePath(folder, path)]),
  );
  return {
    name: "keep-places",
    transform: {
      filter: { code: /import\.meta\./ },
      handler(code, id) {
        const url = pathToFileURL(id).href;
        const bundle = bundles.get(url);
        return code
          .replaceAll(/new URL\("([^"]+)", import\.meta\.url\)/g, (whole, path: string) => {
            const other = bundles.get(new URL(path, url).href);
            return other === undefined ? whole : `new URL(${JSON.stringify(pathToFileURL(other))})`;
          })
          .replaceAll("import.meta.url", JSON.stringify(url))
          .replaceAll("import.meta.dirname", JSON.stringify(dirname(id)))
          .replaceAll("import.meta.filename", JSON.stringify(id))
          .replaceAll("import.meta.main", `(process.argv[1] === ${JSON.stringify(bundle ?? id)})`);
      },
    },
  };
}

/** Bundles them for the processes of this run, in a folder from which the packages that are left out can be found. */
export async function bundlePrograms(): Promise<{ folder: string; remove(): void }> {
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(join(CACHE, "test-programs-"));
  // Some are started as another user.
  chmodSync(folder, 0o755);
  const bundle = await rolldown({
    // Programs share what two of them load: what is loaded most is on its own.
    input: Object.fromEntries(
      [...PROGRAMS, ...LOADED_MOST].map((path) => [path.replace(/\.ts$/, ""), join(REPOSITORY, path)]),
    ),
    platform: "node",
    external: LEFT_OUT,
    plugins: [keepPlaces(folder)],
  });
  await bundle.write({ dir: folder, format: "esm", entryFileNames: "[name].js" });
  await bundle.close();
  return {
    folder,
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }),
  };
}
