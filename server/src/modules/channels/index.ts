export { queueClaim } from "./claims.ts";
