import { type Abi, decodeErrorResult } from "viem";
import type { Hex } from "../../../domain/tokens.ts";
import { identityRegistryAbi } from "../../../generated/contracts/identity-registry.ts";
import { reputationRegistryAbi } from "../../../generated/contracts/reputation-registry.ts";
import { signedCallsAbi } from "../../../generated/contracts/signed-calls.ts";
import { swapPoolAbi } from "../../../generated/contracts/swap-pool.ts";
import { tripEscrowAbi } from "../../../generated/contracts/trip-escrow.ts";
import { validationRegistryAbi } from "../../../generated/contracts/validation-registry.ts";
import type { RpcRefusal } from "../rpc.ts";

const OUR_ERRORS: Abi = [
  ...tripEscrowAbi,
  ...signedCallsAbi,
  ...identityRegistryAbi,
  ...reputationRegistryAbi,
  ...validationRegistryAbi,
  ...swapPoolAbi,
].filter(({ type }) => type === "error");
const LONGEST = 300;

/** `WrongState(2)` for an error of our contracts, else the node's text. */
export function explainRevert(refusal: RpcRefusal): string {
  return (ownError(refusal) ?? refusal.message).slice(0, LONGEST);
}

function ownError({ data }: RpcRefusal): string | undefined {
  const bytes = errorBytes(data);
  if (bytes === undefined) return undefined;
  try {
    const { abiItem, errorName, args } = decodeErrorResult({ abi: OUR_ERRORS, data: bytes });
    // The node's text already has the standard errors.
    if (!OUR_ERRORS.includes(abiItem)) return undefined;
    return `${errorName}(${(args ?? []).map(String).join(", ")})`;
  } catch {
    return undefined;
  }
}

/** The bytes themselves or inside an object: nodes differ. */
function errorBytes(data: unknown): Hex | undefined {
  if (typeof data === "object" && data !== null && "data" in data) return errorBytes(data.data);
  if (typeof data !== "string") return undefined;
  const [, digits] = /^(?:Reverted )?0x((?:[0-9a-f]{2})+)$/i.exec(data) ?? [];
  return digits === undefined ? undefined : `0x${digits.toLowerCase()}`;
}
