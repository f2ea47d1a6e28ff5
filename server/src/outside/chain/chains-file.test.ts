import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { readChainsFile } from "./chains-file.ts";

const folder = mkdtempSync(join(tmpdir(), "wayfare-chains-"));
const path = join(folder, "chains.json");
afterAll(() => rmSync(folder, { recursive: true }));

const usdc = `0x${"A".repeat(40)}`;
const base = { name: "Base", chainId: 8_453, rpcUrl: "https://base.example.com/", usdc };

function readFile(content: unknown) {
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return readChainsFile(path);
}

describe("CHAINS_FILE", () => {
  it("names further chains with their node and addresses", () => {
    const eurc = `0x${"b".repeat(40)}`;
    const fuji = { ...base, name: "Avalanche_Fuji", chainId: 43_113, eurc, escrow: usdc, confirmations: 2 };
    expect(readFile({ chains: [base, fuji] })).toEqual([
      {
        name: "Base",
        chainId: 8_453,
        rpcUrl: "https://base.example.com",
        contracts: { tokens: { USDC: usdc } },
        confirmations: undefined,
      },
      {
        name: "Avalanche_Fuji",
        chainId: 43_113,
        rpcUrl: "https://base.example.com",
        contracts: { tokens: { USDC: usdc, EURC: eurc }, escrow: usdc },
        confirmations: 2,
      },
    ]);
  });

  it("names contracts for other chains, each of them optional", () => {
    const bridge = { transmitter: usdc, messenger: usdc, signedBurns: usdc };
    const gateway = { wallet: usdc, minter: usdc };
    const [all, some] = readFile({
      chains: [
        { ...base, bridge, gateway, swapPool: usdc },
        { ...base, name: "Linea", chainId: 59_144, gateway },
      ],
    });
    expect(all?.contracts).toEqual({ tokens: { USDC: usdc }, crossChain: { bridge, gateway, swapPool: usdc } });
    expect(some?.contracts).toEqual({ tokens: { USDC: usdc }, crossChain: { gateway } });
  });

  it.each([
    ["{", "is not JSON"],
    [[base], "is not valid: the whole file: "],
    [{ chains: [{ ...base, rpcUrl: "ftp://example.com" }] }, "is not valid: chains.0.rpcUrl: "],
    [{ chains: [{ ...base, usdc: "0x12" }] }, "is not valid: chains.0.usdc: "],
    [{ chains: [{ ...base, key: "0x12" }] }, "is not valid: chains.0: "],
    [{ chains: [{ ...base, bridge: { messenger: usdc } }] }, "is not valid: chains.0.bridge.transmitter: "],
    [{ chains: [{ ...base, confirmations: 0 }] }, "is not valid: chains.0.confirmations: "],
    [{ chains: [{ ...base, name: "Solana" }] }, "names Solana, which is no chain that the service knows."],
    [{ chains: [{ ...base, chainId: 1 }] }, "gives Base the chain id 1; it has 8453."],
    [{ chains: [base, base] }, "names the chain 8453 twice."],
  ])("%j is refused with its reason", (content, reason) => {
    expect(() => readFile(content)).toThrow(`Not started: CHAINS_FILE (${path}) ${reason}`);
  });

  it("that is missing is refused", () => {
    expect(() => readChainsFile(join(folder, "none.json"))).toThrow("none.json) cannot be read.");
  });
});
