/** The package's own code falls back to a slow implementation; its compiled part alone does not. */
declare module "secp256k1/bindings.js" {
  const native: {
    /** `signature` is r and s, 64 bytes. Throws if it is invalid. */
    ecdsaRecover(signature: Uint8Array, recoveryId: number, digest: Uint8Array, isCompressed: boolean): Uint8Array;
  };
  export default native;
}
