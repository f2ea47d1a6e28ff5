import * as viem from "viem/chains";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import fixture from "../../../test/fixtures/tools.json" with { type: "json" };
import { findNamedChain, nameChain, nameInAnswers, withSpellings } from "./named-chains.ts";

const Fields = z.object({ properties: z.record(z.string(), z.looseObject({ enum: z.array(z.unknown()).optional() })) });
const Tools = z.object({ tools: z.record(z.string(), z.object({ input: Fields })) });

function readEnum(tool: string, field: string): readonly string[] {
  const known = Tools.parse(fixture).tools[tool]?.input.properties[field]?.enum ?? [];
  return known.map(String);
}

/** The same chains as viem names them. It does not know the others. */
const byViem = {
  Arbitrum: viem.arbitrum,
  Avalanche: viem.avalanche,
  Base: viem.base,
  Codex: viem.codex,
  Ethereum: viem.mainnet,
  HyperEVM: viem.hyperEvm,
  Ink: viem.ink,
  Linea: viem.linea,
  Monad: viem.monad,
  Morph: viem.morph,
  Optimism: viem.optimism,
  Plume: viem.plumeMainnet,
  Polygon: viem.polygon,
  Sei: viem.sei,
  Sonic: viem.sonic,
  Unichain: viem.unichain,
  World_Chain: viem.worldchain,
  XDC: viem.xdc,
  Arc_Testnet: viem.arcTestnet,
  Arbitrum_Sepolia: viem.arbitrumSepolia,
  Avalanche_Fuji: viem.avalancheFuji,
  Base_Sepolia: viem.baseSepolia,
  Codex_Testnet: viem.codexTestnet,
  Ethereum_Sepolia: viem.sepolia,
  HyperEVM_Testnet: viem.hyperliquidEvmTestnet,
  Ink_Testnet: viem.inkSepolia,
  Linea_Sepolia: viem.lineaSepolia,
  Monad_Testnet: viem.monadTestnet,
  Optimism_Sepolia: viem.optimismSepolia,
  Plume_Testnet: viem.plumeSepolia,
  Polygon_Amoy_Testnet: viem.polygonAmoy,
  Sei_Testnet: viem.seiTestnet,
  Unichain_Sepolia: viem.unichainSepolia,
  World_Chain_Sepolia: viem.worldchainSepolia,
  XDC_Apothem: viem.xdcTestnet,
};

describe("the chains that the interface names", () => {
  const names = readEnum("bridge_to_arc", "fromChain");

  it("have a chain id and a domain, except Solana", () => {
    expect(names.length).toBeGreaterThan(40);
    expect(names.filter((name) => findNamedChain(name) === undefined)).toEqual(["Solana", "Solana_Devnet"]);
    expect(new Set(names.map((name) => findNamedChain(name)?.chainId)).size).toBe(names.length - 1);
  });

  it("are known by the names of every tool", () => {
    for (const [tool, field] of [
      ["gateway_transfer", "from"],
      ["gateway_transfer", "to"],
      ["faucet_drip", "blockchain"],
    ] as const) {
      const found = readEnum(tool, field).map((name) => findNamedChain(name)?.name);
      expect(found.length).toBeGreaterThan(3);
      expect(names).toEqual(expect.arrayContaining(found));
    }
  });

  it("have the chain ids that viem says", () => {
    const ours = Object.keys(byViem).map((name) => [name, findNamedChain(name)?.chainId]);
    expect(ours).toEqual(Object.entries(byViem).map(([name, { id }]) => [name, id]));
  });

  it("share a domain with their test network and with no other", () => {
    const domains = names.flatMap((name) => findNamedChain(name) ?? []);
    for (const [, some] of Map.groupBy(domains, ({ domain }) => domain)) {
      const base = new Set(some.map(({ name }) => name.split(/_(?!Chain)/)[0]));
      expect([...base], JSON.stringify(some)).toHaveLength(1);
    }
  });
});

describe("a chain in arguments and answers", () => {
  const Gateway = withSpellings(z.enum(["Arc_Testnet", "Base_Sepolia", "Polygon_Amoy"]));

  it.each([
    ["Polygon_Amoy", "Polygon_Amoy"],
    ["Polygon_Amoy_Testnet", "Polygon_Amoy"],
    ["MATIC-AMOY", "Polygon_Amoy"],
    ["polygon amoy", "Polygon_Amoy"],
    ["base-sepolia", "Base_Sepolia"],
    ["eip155:84532", "Base_Sepolia"],
    ["84532", "Base_Sepolia"],
    ["ARC-TESTNET", "Arc_Testnet"],
  ])("%s is understood as %s", (given, name) => {
    expect(Gateway.parse(given)).toBe(name);
  });

  it.each(["Base", "Ethereum_Sepolia", "eip155:1", "", 84_532])("%s is not among the field's chains", (given) => {
    expect(Gateway.safeParse(given).success).toBe(false);
  });

  it("has one name in answers", () => {
    expect(["Polygon_Amoy", "MATIC-AMOY", "ETH-SEPOLIA"].map(nameInAnswers)).toEqual([
      "Polygon_Amoy_Testnet",
      "Polygon_Amoy_Testnet",
      "Ethereum_Sepolia",
    ]);
    expect(["eip155:84532", "eip155:999999", "solana:devnet"].map(nameChain)).toEqual([
      "Base_Sepolia",
      "eip155:999999",
      "solana:devnet",
    ]);
  });

  it("is published with the field's own names", () => {
    const schema = z.toJSONSchema(z.strictObject({ chain: Gateway }), { io: "input" });
    expect(schema).toMatchObject({
      required: ["chain"],
      properties: { chain: { enum: ["Arc_Testnet", "Base_Sepolia", "Polygon_Amoy"] } },
    });
  });
});
