import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

const MAXIMUM_BYTES = 64 * 1024 * 1024;

/**
 * The types of the example client in `folder`, from an API description. Its generator runs as a program of its own, because it
 * brings a TypeScript of its own.
 */
export async function clientTypes(folder: string, apiDescription: string): Promise<string> {
  const generating = promisify(execFile)(process.execPath, [join(folder, "generate.ts"), "-"], {
    maxBuffer: MAXIMUM_BYTES,
  });
  generating.child.stdin?.end(apiDescription);
  return (await generating).stdout;
}
