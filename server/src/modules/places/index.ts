export { briefTimeZone, type TimeZoneBrief } from "./brief-time-zone.ts";
export { LanguageCode, RegionCode } from "./codes.ts";
export { type ResolvedStop, resolveStop, type Stop, type StopPlace } from "./resolve-stop.ts";
