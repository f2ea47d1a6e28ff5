import { formatUnits } from "viem";
import { TOKEN_DECIMALS } from "../../domain/tokens.ts";

/**
 * An amount of native gas money, with 18 decimals. On Arc that is USDC, which as a token has 6: the same money in two scales. A
 * native amount is therefore an object and never a bare bigint, so that neither can be passed to a function for the other.
 */
export interface NativeAmount {
  readonly wei: bigint;
}

const NATIVE_DECIMALS = 18;
export const WEI_PER_MICRO = 10n ** BigInt(NATIVE_DECIMALS - TOKEN_DECIMALS);
export const WEI_PER_NATIVE = 10n ** BigInt(NATIVE_DECIMALS);

export const nativeAmount = (wei: bigint): NativeAmount => ({ wei });

/** In the token's 6 decimals, rounded down, for chains whose gas is paid in that token. */
export const microFromNative = ({ wei }: NativeAmount): bigint => wei / WEI_PER_MICRO;

export const formatNative = ({ wei }: NativeAmount): string => formatUnits(wei, NATIVE_DECIMALS);

/** The address of Arc's native USDC as a token. */
export const ARC_NATIVE_USDC = "0x3600000000000000000000000000000000000000";

/** The address at which every movement of the native coin is logged, with its 18 decimals (EIP-7708). */
export const NATIVE_COIN_LOG = "0xfffffffffffffffffffffffffffffffffffffffe";

export interface Fees {
  maxFeePerGas: NativeAmount;
  maxPriorityFeePerGas: NativeAmount;
}

/** At least an eighth more: nodes accept no replacement for less. */
export function dearer(fees: Fees): Fees {
  const more = ({ wei }: NativeAmount) => nativeAmount((wei * 9n) / 8n + 1n);
  return { maxFeePerGas: more(fees.maxFeePerGas), maxPriorityFeePerGas: more(fees.maxPriorityFeePerGas) };
}
