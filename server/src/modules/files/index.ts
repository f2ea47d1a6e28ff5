export type { SharedFiles } from "./store.ts";
