export { briefTimeZone } from "./brief-time-zone.ts";
export { LanguageCode, RegionCode } from "./codes.ts";
export { resolveStop } from "./resolve-stop.ts";
