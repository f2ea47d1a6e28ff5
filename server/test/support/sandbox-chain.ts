import type { ChainKey } from "../../src/ports/chain/chain-key.ts";

/** The home chain of the sandbox: the development chain has this id unless a test starts it with another one. */
export const sandboxChain = { environment: "sandbox", chain: "eip155:5042002" } as const satisfies ChainKey;
