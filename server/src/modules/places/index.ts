export { RegionCode } from "./codes.ts";
export { resolveStop } from "./resolve-stop.ts";
