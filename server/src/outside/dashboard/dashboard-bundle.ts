import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { z } from "zod";
import type { DashboardBundle } from "../../surfaces/dashboard/dashboard-pages.ts";

const ROOT = resolve(import.meta.dirname, "../../../..");
const WORKSPACE = join(ROOT, "dashboard");
/** Built beforehand by `npm run build`. */
const BUILT = join(WORKSPACE, ".built");
const PROGRAM = join(WORKSPACE, "build.mjs");
const KEPT_OUTPUT_CHARACTERS = 4_000;

const Manifest = z.object({ entry: z.string(), preloads: z.array(z.string()), style: z.string() });

/**
 * The dashboard's files: those that are there for this source and these packages, or else built now, in a process of its own.
 * Rejects, so that the service does not start, if they cannot be built.
 */
export async function openDashboardBundle(
  dataDir: string,
  progress?: (line: string) => void,
): Promise<DashboardBundle> {
  const name = hashSource();
  const kept = join(dataDir, "dashboard", name);
  const found = readBundle(join(BUILT, name)) ?? readBundle(kept);
  if (found !== undefined) return found;
  progress?.("Building the dashboard (once for each release)");
  await buildInto(kept);
  const built = readBundle(kept);
  if (built === undefined) throw new Error(`The dashboard was built, but ${kept} is not there.`);
  return built;
}

/** Builds into the folder that the start looks in first: `npm run build`. */
export async function buildDashboard(): Promise<{ folder: string; isNew: boolean }> {
  const folder = join(BUILT, hashSource());
  if (readBundle(folder) !== undefined) return { folder, isNew: false };
  await buildInto(folder);
  return { folder, isNew: true };
}

/** Names the contents of everything that the bundle is made from. */
function hashSource(): string {
  const source = join(WORKSPACE, "src");
  const files = readdirSync(source, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
  const hash = createHash("sha256");
  for (const file of [...files, PROGRAM, join(ROOT, "package-lock.json")]) {
    hash
      .update(`${relative(ROOT, file)}\0`)
      .update(readFileSync(file))
      .update("\0");
  }
  return hash.digest("hex").slice(0, 16);
}

function readBundle(folder: string): DashboardBundle | undefined {
  try {
    return { folder, ...Manifest.parse(JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"))) };
  } catch {
    return undefined;
  }
}

async function buildInto(folder: string): Promise<void> {
  // Nothing of the service's environment, which has secrets, is the builder's business.
  const builder = spawn(process.execPath, [PROGRAM, folder], {
    cwd: ROOT,
    env: {},
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [builder.stdout, builder.stderr]) {
    stream.on("data", (chunk) => {
      output = `${output}${chunk}`.slice(-KEPT_OUTPUT_CHARACTERS);
    });
  }
  const code = await new Promise<number | string>((done) => {
    builder.once("error", (error) => done(error.message));
    builder.once("close", (exitCode, signal) => done(exitCode ?? signal ?? "no reason given"));
  });
  if (code !== 0) throw new Error(`Not started: the dashboard could not be built (${code}).\n${output.trim()}`);
}
