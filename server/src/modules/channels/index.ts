export { queueClaim } from "./claims.ts";
export { deriveSimulated } from "./installation.ts";
