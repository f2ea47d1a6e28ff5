import { recover } from "tiny-secp256k1";

/** The uncompressed key behind r and s (64 bytes); undefined: nobody's. */
export type RecoverKey = (digest: Uint8Array, rs: Uint8Array, recoveryId: 0 | 1) => Uint8Array | undefined;

/** In WebAssembly, which runs everywhere. */
export const recoverKeyEverywhere: RecoverKey = orUndefined(
  (digest, rs, recoveryId) => recover(digest, rs, recoveryId, false) ?? undefined,
);

/** In machine code, in about a fifth of the time; undefined: there is none for this machine. */
export const recoverKeyNatively: RecoverKey | undefined = await import("secp256k1/bindings.js").then(
  ({ default: native }) => orUndefined((digest, rs, recoveryId) => native.ecdsaRecover(rs, recoveryId, digest, false)),
  () => undefined,
);

/** Numbers that are no point of the curve make the libraries throw. */
function orUndefined(recoverKey: RecoverKey): RecoverKey {
  return (digest, rs, recoveryId) => {
    try {
      return recoverKey(digest, rs, recoveryId);
    } catch {
      return undefined;
    }
  };
}
