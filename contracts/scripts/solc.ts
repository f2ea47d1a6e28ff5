import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import solc from "solc";
import * as z from "zod";
import { compileOrRecall, solcVersion } from "./kept-compilation.ts";

export const repository = resolve(import.meta.dirname, "../..");
const OPENZEPPELIN = "@openzeppelin/contracts/";

/** The output depends on nothing but the sources: no metadata hash, and no default that another solc would choose. */
const SETTINGS = {
  optimizer: { enabled: true, runs: 200 },
  evmVersion: "cancun",
  metadata: { bytecodeHash: "none", appendCBOR: false },
} as const;

const Diagnostics = z.object({ errors: z.array(z.object({ formattedMessage: z.string() })).default([]) });
const Contract = z.object({ abi: z.array(z.unknown()), evm: z.object({ bytecode: z.object({ object: z.string() }) }) });
const Output = z.object({ contracts: z.record(z.string(), z.record(z.string(), Contract)) });

export interface CompiledContract {
  abi: readonly unknown[];
  bytecode: `0x${string}`;
}

export interface Compilation {
  compilerVersion: string;
  find(source: string, contract: string): CompiledContract;
}

/** Sources are named by their path from the repository root. Warnings are errors. */
export function compile(sources: readonly string[]): Compilation {
  const outputSelection = Object.fromEntries(sources.map((path) => [path, { "*": ["abi", "evm.bytecode.object"] }]));
  const input = { language: "Solidity", sources: withImports(sources), settings: { ...SETTINGS, outputSelection } };
  const text = compileOrRecall(JSON.stringify(input));
  const output: unknown = JSON.parse(text);
  const { errors } = Diagnostics.parse(output);
  if (errors.length > 0) throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join("\n"));
  const { contracts } = Output.parse(output);
  return {
    compilerVersion: solcVersion,
    find: (source, contract) => {
      const found = contracts[source]?.[contract];
      if (found === undefined) throw new Error(`${source} has no contract ${contract}`);
      return { abi: found.abi, bytecode: `0x${found.evm.bytecode.object}` };
    },
  };
}

/** The text of the sources and of all that they import, which the compiler asks for also where no output is wanted. */
function withImports(paths: readonly string[]): Record<string, { content: string }> {
  const sources = Object.fromEntries(paths.map((path) => [path, { content: readSource(path) }]));
  const input = { language: "Solidity", sources, settings: {} };
  const imported: Record<string, { content: string }> = {};
  solc.compile(JSON.stringify(input), {
    import(path: string) {
      const content = readSource(path);
      imported[path] = { content };
      return { contents: content };
    },
  });
  return { ...sources, ...imported };
}

function readSource(path: string): string {
  const root = path.startsWith(OPENZEPPELIN) ? join(repository, "node_modules") : repository;
  return readFileSync(join(root, path), "utf8");
}
