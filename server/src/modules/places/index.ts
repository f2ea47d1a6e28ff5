export { RegionCode } from "./codes.ts";
export { readCoordinates } from "./read-coordinates.ts";
export { resolveStop, resolveText } from "./resolve-stop.ts";
export { sayTakenAs } from "./say-taken-as.ts";
