export { servicingCommits } from "./servicing-commits.ts";
export type { ServicingCommits } from "./servicing-effect.ts";
