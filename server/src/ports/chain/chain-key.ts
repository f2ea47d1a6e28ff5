import { z } from "zod";
import type { Environment } from "../identity.ts";

/** One chain of this deployment. A chain that both environments use counts as two: their money never meets. */
export interface ChainKey {
  environment: Environment;
  /** CAIP-2, such as `eip155:5042002`. */
  chain: string;
}

/** A chain in an answer, as `nameChain` names it. */
export const ChainName = z.string().regex(/^([A-Z][A-Za-z0-9_]{2,40}|[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32})$/);

/** The CAIP-2 name of an EVM chain. */
export function nameEvmChain(chainId: number): `eip155:${number}` {
  return `eip155:${chainId}`;
}
