import { readFileSync } from "node:fs";
import { z } from "zod";
import { ConfigError } from "../../config/config.ts";
import { findNamedChain } from "../../domain/chains/named-chains.ts";
import type { ChainContracts } from "../../ports/chain/bound-chains.ts";
import type { CrossChainAddresses } from "../../ports/chain/cross-chain-contracts.ts";

/** A live chain besides the one that CHAIN_RPC_URL names. */
export interface FileChain {
  name: string;
  chainId: number;
  rpcUrl: string;
  contracts: ChainContracts;
  confirmations: number | undefined;
}

type Undefinable<Shape> = { [Name in keyof Shape]: Shape[Name] | undefined };

const Address = z.templateLiteral(["0x", z.string().regex(/^[0-9a-fA-F]{40}$/)]);

const Entry = z.strictObject({
  name: z.string(),
  chainId: z.int().positive(),
  rpcUrl: z.url({ protocol: /^https?$/ }),
  usdc: Address,
  eurc: Address.exactOptional(),
  escrow: Address.exactOptional(),
  splitter: Address.exactOptional(),
  paymentBatch: Address.exactOptional(),
  bridge: z
    .strictObject({ transmitter: Address, messenger: Address, signedBurns: Address.exactOptional() })
    .exactOptional(),
  gateway: z.strictObject({ wallet: Address, minter: Address }).exactOptional(),
  swapPool: Address.exactOptional(),
  confirmations: z.int().min(1).max(1_000).exactOptional(),
});
const ChainsFile = z.strictObject({ chains: z.array(Entry) });

/** Throws a one-line ConfigError if the file does not say exactly which chains these are. */
export function readChainsFile(path: string): readonly FileChain[] {
  const refuse = (why: string): ConfigError => new ConfigError(`Not started: CHAINS_FILE (${path}) ${why}.`);
  const read = ChainsFile.safeParse(readJson(path, refuse));
  if (!read.success) {
    const issues = read.error.issues.map(({ path: at, message }) => `${at.join(".") || "the whole file"}: ${message}`);
    throw refuse(`is not valid: ${issues.join("; ")}`);
  }
  const seen = new Set<number>();
  return read.data.chains.map(({ name, chainId, rpcUrl, confirmations, ...addresses }) => {
    const known = findNamedChain(name);
    if (known === undefined) throw refuse(`names ${name}, which is no chain that the service knows`);
    if (known.chainId !== chainId) throw refuse(`gives ${name} the chain id ${chainId}; it has ${known.chainId}`);
    if (seen.has(chainId)) throw refuse(`names the chain ${chainId} twice`);
    seen.add(chainId);
    const { usdc, eurc, bridge, gateway, swapPool, ...others } = addresses;
    const tokens = { USDC: usdc, ...(eurc === undefined ? {} : { EURC: eurc }) };
    const crossChain = joinCrossChain({ bridge, gateway, swapPool });
    const contracts = { tokens, ...others, ...(crossChain === undefined ? {} : { crossChain }) };
    return { name, chainId, rpcUrl: rpcUrl.replace(/\/$/, ""), contracts, confirmations };
  });
}

/** Undefined: the chain has none of them. */
export function joinCrossChain({ bridge, gateway, swapPool }: Partial<Undefinable<CrossChainAddresses>>) {
  const found: CrossChainAddresses = {
    ...(bridge === undefined ? {} : { bridge }),
    ...(gateway === undefined ? {} : { gateway }),
    ...(swapPool === undefined ? {} : { swapPool }),
  };
  return Object.keys(found).length === 0 ? undefined : found;
}

function readJson(path: string, refuse: (why: string) => ConfigError): unknown {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    throw refuse("cannot be read");
  }
  try {
    return JSON.parse(text);
  } catch {
    throw refuse("is not JSON");
  }
}
