import { join, resolve } from "node:path";

export const REPOSITORY = resolve(import.meta.dirname, "../../..");

/** Programs that the tests start as processes, hundreds of times in a run: most of a start is loading a thousand files. */
export const PROGRAMS = [
  "server/src/main.ts",
  "server/src/commands/chain.ts",
  "server/src/commands/key.ts",
  "server/src/commands/tenant.ts",
  "server/test/support/chain-child.ts",
  "server/test/support/embedded-service.ts",
  "sandbox/src/main.ts",
  "devnet/src/main.ts",
  "attester/src/main.ts",
  "carriers/src/main.ts",
  "devnet/test/support/devnet-broken.ts",
  "chaos/src/main.ts",
  "chaos/src/service-under-chaos.ts",
  "chaos/src/guards/late-devnet.ts",
] as const;
type ProgramPath = (typeof PROGRAMS)[number];

/** Where the bundle of a program lies in the folder of all. */
export const bundlePath = (folder: string, path: string): string => join(folder, path.replace(/\.ts$/, ".js"));

/** Where to find a program of the repository: all in one file if this run has bundled it (`bundle-programs.ts`), else as it stands. */
export function programAt(path: ProgramPath): string {
  const folder = process.env.TEST_PROGRAMS_FOLDER;
  return folder === undefined ? join(REPOSITORY, path) : bundlePath(folder, path);
}

/** The parts that a product starts beside itself, for what starts one in the process of the tests. */
export const partPrograms = () => ({
  supplierProgram: programAt("sandbox/src/main.ts"),
  devnetProgram: programAt("devnet/src/main.ts"),
  attesterProgram: programAt("attester/src/main.ts"),
  carriersProgram: programAt("carriers/src/main.ts"),
});
