import { fileURLToPath } from "node:url";
import { createLazyPart, type LazyPartOptions, lazyPartAccess } from "./lazy-part.ts";
import type { Part } from "./part.ts";

const CARRIERS_PROGRAM = fileURLToPath(new URL("../../../carriers/src/main.ts", import.meta.url));
const CARRIERS = "carriers";

/** The simulator's secrets file; `carriers/src/settings.ts` reads it. */
export interface CarriersSecrets {
  controlToken: string;
}

/** Where it answers; undefined before its first start. It stays the same over restarts. */
export const carriersAccess = (dataDir: string): { url: string } | undefined => lazyPartAccess(dataDir, CARRIERS);

/** The simulator of Slack and WhatsApp: a process with their interfaces, and a page on which a person plays everybody. */
export const createCarriersPart = ({
  program = CARRIERS_PROGRAM,
  ...options
}: Omit<LazyPartOptions, "program"> & { program?: string }): Part<"carriers"> =>
  createLazyPart({ name: CARRIERS, title: "carrier simulator" }, { ...options, program });
