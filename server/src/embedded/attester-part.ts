import { fileURLToPath } from "node:url";
import type { Hex } from "../domain/tokens.ts";
import { createLazyPart, type LazyPartOptions, lazyPartAccess } from "./lazy-part.ts";
import type { Part } from "./part.ts";

const ATTESTER_PROGRAM = fileURLToPath(new URL("../../../attester/src/main.ts", import.meta.url));
const ATTESTER = "attester";

interface AttestedChain {
  name: string;
  network: "testnet" | "mainnet";
  /** The number of the chain in the bridge and the Gateway. */
  domain: number;
  rpcUrl: string;
  /** Reached from chains of both networks. */
  isHub: boolean;
  usdc: Hex;
  transmitter: Hex;
  messenger: Hex;
  gatewayWallet: Hex;
  gatewayMinter: Hex;
}

interface AttesterKeys {
  /** As many as must sign a message. */
  attesters: readonly Hex[];
  gateway: Hex;
}

/** The attester's secrets file; `attester/src/settings.ts` reads it and explains it. */
export interface AttesterSecrets {
  chains: readonly AttestedChain[];
  keys: { testnet: AttesterKeys; mainnet: AttesterKeys };
}

/** Where it answers; undefined before its first start. It stays the same over restarts. */
export const attesterAccess = (dataDir: string): { url: string } | undefined => lazyPartAccess(dataDir, ATTESTER);

/** The attester of the development chains: a process with the interfaces of the public attestation service and of the Gateway. */
export const createAttesterPart = ({
  program = ATTESTER_PROGRAM,
  ...options
}: Omit<LazyPartOptions, "program"> & { program?: string }): Part<"attester"> =>
  createLazyPart({ name: ATTESTER, title: "attester" }, { ...options, program });
