import type { Hex } from "../../../domain/tokens.ts";
import { keccak256 } from "./keccak.ts";
import { recoverKeyEverywhere, recoverKeyNatively } from "./recover-key.ts";

const SIGNATURE_DIGITS = /^0x[0-9a-f]{130}$/i;
/** Half of the curve's order: of the two values of `s` that both fit, the tokens take the lower one only. */
const HALF_ORDER = "7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0";
const RECOVERY_IDS: ReadonlyMap<string, 0 | 1> = new Map([
  ["1b", 0],
  ["1c", 1],
]);

const recoverKey = recoverKeyNatively ?? recoverKeyEverywhere;

/**
 * Whose key has signed the digest, as the tokens find it; undefined: they would take the signature for none. In compiled
 * code, because it is most of what a paid call costs.
 */
export function recoverAddress(digest: Uint8Array, signature: Hex): Hex | undefined {
  if (!SIGNATURE_DIGITS.test(signature)) return undefined;
  const digits = signature.slice(2).toLowerCase();
  const recoveryId = RECOVERY_IDS.get(digits.slice(128));
  if (recoveryId === undefined || digits.slice(64, 128) > HALF_ORDER) return undefined;
  const publicKey = recoverKey(digest, Buffer.from(digits.slice(0, 128), "hex"), recoveryId);
  if (publicKey === undefined) return undefined;
  return `0x${keccak256(publicKey.subarray(1)).toString("hex", 12)}`;
}
