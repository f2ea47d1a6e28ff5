export type { ScannedPerson } from "./scans.ts";
