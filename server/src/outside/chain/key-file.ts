import { readFileSync } from "node:fs";
import { ConfigError } from "../../config/config.ts";
import type { Hex } from "../../domain/tokens.ts";
import { sayReadableByOthers } from "../../platform/files/private-files.ts";

/** Reads the operator's key of the live relayer: 32 bytes in hexadecimal, with or without 0x. */
export function readRelayerKey(path: string): Hex {
  return readKeyFile(path, "Not started: CHAIN_RELAYER_KEY_FILE");
}

/** Reads a file with a private key like that one. `what`: how messages name the file. */
export function readKeyFile(path: string, what: string): Hex {
  const [, digits] = /^(?:0x)?([0-9a-f]{64})$/i.exec(readText(path, what).trim()) ?? [];
  if (digits !== undefined) return `0x${digits.toLowerCase()}`;
  throw new ConfigError(`${what} (${path}) does not hold 32 bytes in hexadecimal.`);
}

function readText(path: string, what: string): string {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    throw new ConfigError(`${what} (${path}) cannot be read.`);
  }
  const problem = sayReadableByOthers(path);
  if (problem !== undefined) throw new ConfigError(`${what} ${problem}`);
  return text;
}
