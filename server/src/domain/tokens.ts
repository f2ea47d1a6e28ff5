/** The tokens that the service's money consists of. Both have 6 decimals, so that a micro-unit is their smallest part. */
export const tokenSymbols = ["USDC", "EURC"] as const;
export type TokenSymbol = (typeof tokenSymbols)[number];

/** What a chain has of each token: USDC is everywhere. */
export type ByToken<Value> = Readonly<{ USDC: Value; EURC?: Value }>;

export const TOKEN_DECIMALS = 6;

/** `0x` and hexadecimal digits. */
export type Hex = `0x${string}`;
