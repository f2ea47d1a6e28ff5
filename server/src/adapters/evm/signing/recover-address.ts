import { recover } from "tiny-secp256k1";
import type { Hex } from "../../../domain/tokens.ts";
import { keccak256 } from "./keccak.ts";

/** The uncompressed key for r and s (64 bytes); undefined: there is none. */
type RecoverKey = (digest: Uint8Array, rs: Uint8Array, recoveryId: 0 | 1) => Uint8Array | undefined;

/** In WebAssembly, which runs everywhere. */
export const recoverKeyEverywhere: RecoverKey = orUndefined(
  (digest, rs, recoveryId) => recover(digest, rs, recoveryId, false) ?? undefined,
);

/** In machine code, about five times as fast; undefined: not available on this machine. */
export const recoverKeyNatively: RecoverKey | undefined = await import("secp256k1/bindings.js").then(
  ({ default: native }) => orUndefined((digest, rs, recoveryId) => native.ecdsaRecover(rs, recoveryId, digest, false)),
  () => undefined,
);

const SIGNATURE_DIGITS = /^0x[0-9a-f]{130}$/i;
/** Half of the curve's order: of the two valid values of `s`, the tokens accept only the lower one. */
const HALF_ORDER = "7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0";
const RECOVERY_IDS: ReadonlyMap<string, 0 | 1> = new Map([
  ["1b", 0],
  ["1c", 1],
]);

const recoverKey = recoverKeyNatively ?? recoverKeyEverywhere;

/**
 * The signer of the digest, by the tokens' rules; undefined: they would refuse the signature. In compiled code, because it is
 * most of the cost of a paid call.
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

/** The libraries throw for values that are not on the curve. */
function orUndefined(recoverKey: RecoverKey): RecoverKey {
  return (digest, rs, recoveryId) => {
    try {
      return recoverKey(digest, rs, recoveryId);
    } catch {
      return undefined;
    }
  };
}
