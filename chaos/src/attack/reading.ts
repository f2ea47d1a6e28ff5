import { z } from "zod";

/** Questions asked on behalf of a caller, each counted where the service asks it. */
export const outsideCalls = ["keyLookUps", "chainQuestions", "supplierRequests", "tripLookUps"] as const;
export type OutsideCall = (typeof outsideCalls)[number];

/** A reading of the meter inside the attacked service. */
export const Reading = z.object({
  /** The peak growth of the process, or of its JavaScript heap, since the last reset. */
  grownMegabytes: z.number(),
  /** The peak size of the JavaScript heap since then, measured after garbage collections. */
  heldMegabytes: z.number(),
  mostWaitingRequests: z.number(),
  waitingRequests: z.number(),
  /** Held open, of everybody. */
  connections: z.number(),
  /** Bytes that the service has read on each open connection, by the other end's port. */
  readBytes: z.record(z.string(), z.number()),
  /** Calls of the harness's own tool, which work as long as their callers are there. */
  runningStreams: z.number(),
  calls: z.record(z.enum(outsideCalls), z.number()),
});
export type Reading = z.infer<typeof Reading>;
