import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";

const MAXIMUM_BYTES = 64 * 1024 * 1024;
const Files = z.record(z.string(), z.string());

/** The generated files of the client package in `folder`, by name. Its generator is a program of that package. */
export async function generateClient(folder: string, apiDescription: string): Promise<ReadonlyMap<string, string>> {
  const generating = promisify(execFile)(process.execPath, [join(folder, "scripts/generate.ts")], {
    maxBuffer: MAXIMUM_BYTES,
  });
  generating.child.stdin?.end(apiDescription);
  return new Map(Object.entries(Files.parse(JSON.parse((await generating).stdout))));
}
