export { queueClaim } from "./claims.ts";
export { deriveSimulated } from "./installation.ts";
export { RUN_WAITING } from "./notices/notice-kinds.ts";
