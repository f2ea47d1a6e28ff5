import { z } from "zod";

/** Contracts of the two know nothing of each other, though a test network shares the domain of its main network. */
export type BridgeNetwork = "testnet" | "mainnet";

interface NamedChain {
  /** EIP-155. */
  chainId: number;
  /** Its number in CCTP and in Gateway. */
  domain: number;
}

/** The EVM chains that the interface names. */
const mainNetworks = {
  Arbitrum: { chainId: 42_161, domain: 3 },
  Avalanche: { chainId: 43_114, domain: 1 },
  Base: { chainId: 8_453, domain: 6 },
  Codex: { chainId: 81_224, domain: 12 },
  Edge: { chainId: 3_343, domain: 28 },
  Ethereum: { chainId: 1, domain: 0 },
  HyperEVM: { chainId: 999, domain: 19 },
  Ink: { chainId: 57_073, domain: 21 },
  Linea: { chainId: 59_144, domain: 11 },
  Monad: { chainId: 143, domain: 15 },
  Morph: { chainId: 2_818, domain: 30 },
  Optimism: { chainId: 10, domain: 2 },
  Plume: { chainId: 98_866, domain: 22 },
  Polygon: { chainId: 137, domain: 7 },
  Sei: { chainId: 1_329, domain: 16 },
  Sonic: { chainId: 146, domain: 13 },
  Unichain: { chainId: 130, domain: 10 },
  World_Chain: { chainId: 480, domain: 14 },
  XDC: { chainId: 50, domain: 18 },
} as const satisfies Readonly<Record<string, NamedChain>>;

const testNetworks = {
  Arc_Testnet: { chainId: 5_042_002, domain: 26 },
  Arbitrum_Sepolia: { chainId: 421_614, domain: 3 },
  Avalanche_Fuji: { chainId: 43_113, domain: 1 },
  Base_Sepolia: { chainId: 84_532, domain: 6 },
  Codex_Testnet: { chainId: 812_242, domain: 12 },
  Edge_Testnet: { chainId: 33_431, domain: 28 },
  Ethereum_Sepolia: { chainId: 11_155_111, domain: 0 },
  HyperEVM_Testnet: { chainId: 998, domain: 19 },
  Ink_Testnet: { chainId: 763_373, domain: 21 },
  Linea_Sepolia: { chainId: 59_141, domain: 11 },
  Monad_Testnet: { chainId: 10_143, domain: 15 },
  Morph_Testnet: { chainId: 2_910, domain: 30 },
  Optimism_Sepolia: { chainId: 11_155_420, domain: 2 },
  Plume_Testnet: { chainId: 98_867, domain: 22 },
  Polygon_Amoy_Testnet: { chainId: 80_002, domain: 7 },
  Sei_Testnet: { chainId: 1_328, domain: 16 },
  Sonic_Testnet: { chainId: 14_601, domain: 13 },
  Unichain_Sepolia: { chainId: 1_301, domain: 10 },
  World_Chain_Sepolia: { chainId: 4_801, domain: 14 },
  XDC_Apothem: { chainId: 51, domain: 18 },
} as const satisfies Readonly<Record<string, NamedChain>>;

const evmChains = { ...mainNetworks, ...testNetworks };

type ChainName = keyof typeof evmChains;

export interface KnownChain extends NamedChain {
  name: ChainName;
  network: BridgeNetwork;
}

/** Other names of the same chains in the interface. */
const aliases: Readonly<Record<string, ChainName>> = {
  Polygon_Amoy: "Polygon_Amoy_Testnet",
  "ARC-TESTNET": "Arc_Testnet",
  "ETH-SEPOLIA": "Ethereum_Sepolia",
  "AVAX-FUJI": "Avalanche_Fuji",
  "MATIC-AMOY": "Polygon_Amoy_Testnet",
};

const isChainName = (name: string): name is ChainName => Object.hasOwn(evmChains, name);

const describeChain = (name: ChainName): KnownChain => ({
  name,
  ...evmChains[name],
  network: Object.hasOwn(mainNetworks, name) ? "mainnet" : "testnet",
});

export const namedChains: readonly KnownChain[] = Object.keys(evmChains).filter(isChainName).map(describeChain);

/** Undefined: no EVM chain of the interface has this name. Solana has no chain id. */
export function findNamedChain(name: string): KnownChain | undefined {
  const known = isChainName(name) ? name : aliases[name];
  return known === undefined ? undefined : describeChain(known);
}

/** Undefined: the interface has no name for it. */
export function findChainById(chainId: number): KnownChain | undefined {
  return namedChains.find((one) => one.chainId === chainId);
}

/** The one name of a chain in answers. A chain that the interface does not name keeps its CAIP-2 id. */
export function nameChain(caip2: string): string {
  const [namespace, id = ""] = caip2.split(":");
  return (namespace === "eip155" ? findChainById(Number(id))?.name : undefined) ?? caip2;
}

/** The same from any name of the interface. */
export const nameInAnswers = (name: string): string => findNamedChain(name)?.name ?? name;

const fold = (name: string): string => name.toLowerCase().replace(/[\s_-]/g, "");
const known = new Map([
  ...namedChains.flatMap((one) => [
    [fold(one.name), one] as const,
    [`eip155:${one.chainId}`, one] as const,
    [String(one.chainId), one] as const,
  ]),
  ...Object.entries(aliases).map(([alias, name]) => [fold(alias), describeChain(name)] as const),
]);

/**
 * Takes every spelling of the chains that a field names: those of other tools and answers, CAIP-2 ids, other capitals and
 * hyphens. The published schema is the field's own.
 */
export function withSpellings<Names extends z.ZodEnum | z.ZodDefault<z.ZodEnum>>(names: Names) {
  const { options } = names instanceof z.ZodDefault ? names.unwrap() : names;
  return z.preprocess((given): unknown => {
    if (typeof given !== "string" || options.includes(given)) return given;
    const meant = known.get(fold(given))?.chainId;
    const spelt = options.find((name) => fold(String(name)) === fold(given));
    const same = options.find((name) => findNamedChain(String(name))?.chainId === meant);
    return spelt ?? (meant === undefined ? undefined : same) ?? given;
  }, names);
}
