export { readSharedFile } from "./file-shelf.ts";
export type { SharedFiles } from "./store.ts";
