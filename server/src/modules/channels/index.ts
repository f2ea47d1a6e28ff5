export { queueClaim } from "./claims.ts";
export { RUN_WAITING } from "./notices/notice-kinds.ts";
