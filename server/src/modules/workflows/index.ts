export type { InternalToken, InternalTokenAdministration, TokenKeys } from "./internal-tokens.ts";
