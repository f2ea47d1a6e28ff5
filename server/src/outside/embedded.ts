import type { Logger } from "pino";
import type { Config } from "../config/config.ts";
import { type Embedded, startEmbedded } from "../embedded/start-embedded.ts";
import type { Vault } from "../ports/vault.ts";
import { sandboxPrefund } from "./sandbox-keys.ts";
import { checkMasterKey } from "./vault.ts";

export interface EmbeddedOptions {
  /** Further arguments of the supplier sandbox, such as a stopped clock. */
  supplierOptions?: readonly string[];
  /** The same for the development chain. */
  devnetOptions?: readonly string[];
  /** The same for the attester of the development chains, such as faults that can be armed. */
  attesterOptions?: readonly string[];
  /** For harnesses: other entry points for the parts. */
  supplierProgram?: string;
  devnetProgram?: string;
  attesterProgram?: string;
  carriersProgram?: string;
  /** Reports to the operator while something takes long. */
  progress?(line: string): void;
  /** Aborts a start: what was started is stopped, and the start rejects. */
  signal?: AbortSignal;
}

/** The embedded parts, for which the operator configured no replacement. */
export async function openEmbedded(
  config: Config,
  vault: Vault,
  options: EmbeddedOptions,
  log: Logger,
): Promise<Embedded> {
  const { supplierOptions = [], supplierProgram, devnetProgram, devnetOptions, progress, signal } = options;
  // They are armed over its loopback address only, and behind it is no real money.
  const { attesterProgram, attesterOptions = ["--faults", "on"], carriersProgram } = options;
  const hasSandbox = config.embeddedSandbox === "on";
  return await startEmbedded({
    dataDir: config.dataDir,
    databaseUrl: config.databaseUrl,
    checkDatabase: (url) => checkMasterKey(config, url, vault),
    supplierSandbox: hasSandbox,
    ...(hasSandbox ? { devnetPrefund: sandboxPrefund(vault) } : {}),
    log,
    ...(supplierProgram === undefined ? {} : { supplierProgram }),
    ...(devnetProgram === undefined ? {} : { devnetProgram }),
    ...(attesterProgram === undefined ? {} : { attesterProgram }),
    ...(carriersProgram === undefined ? {} : { carriersProgram }),
    attesterOptions,
    ...(devnetOptions === undefined ? {} : { devnetOptions }),
    supplierOptions: ["--currency", config.sandboxCurrency, "--stays-in", config.sandboxStaysIn, ...supplierOptions],
    ...(progress === undefined ? {} : { progress }),
    ...(signal === undefined ? {} : { signal }),
  });
}
