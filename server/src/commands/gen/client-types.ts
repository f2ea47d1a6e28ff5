import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

const MAXIMUM_BYTES = 64 * 1024 * 1024;

/**
 * The example client's types in `folder`, from an API description. Its generator runs as a separate program, because it brings
 * its own TypeScript.
 */
export async function clientTypes(folder: string, apiDescription: string): Promise<string> {
  const generating = promisify(execFile)(process.execPath, [join(folder, "generate.ts"), "-"], {
    maxBuffer: MAXIMUM_BYTES,
  });
  generating.child.stdin?.end(apiDescription);
  return (await generating).stdout;
}
