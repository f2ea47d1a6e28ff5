import { expect, it } from "vitest";
import { safeConfirmations } from "./confirmations.ts";

it.each([
  { chain: "the chain whose every block is final, also as the development chain", chainId: 5_042_002, blocks: 1 },
  { chain: "Arc", chainId: 5_042, blocks: 1 },
  { chain: "Ethereum", chainId: 1, blocks: 65 },
  { chain: "a chain that nobody has looked at", chainId: 8_453, blocks: 65 },
])("without CHAIN_CONFIRMATIONS, $blocks blocks make a transaction final on $chain", ({ chainId, blocks }) => {
  expect(safeConfirmations(chainId)).toBe(blocks);
});
