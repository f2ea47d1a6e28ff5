/** The tokens of the service's money. Both have 6 decimals, so that a micro-unit is their smallest unit. */
export const tokenSymbols = ["USDC", "EURC"] as const;
export type TokenSymbol = (typeof tokenSymbols)[number];

/** A value for each token of a chain: every chain has USDC. */
export type ByToken<Value> = Readonly<{ USDC: Value; EURC?: Value }>;

export const TOKEN_DECIMALS = 6;

/** `0x` and hexadecimal digits. */
export type Hex = `0x${string}`;
