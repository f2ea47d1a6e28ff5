export type { SharedFiles } from "./shared-files.ts";
