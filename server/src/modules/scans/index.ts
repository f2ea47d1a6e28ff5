export type { NotTaken, ScannedPerson } from "./scans.ts";
