import { z } from "zod";

/** What may be asked on behalf of a caller, each counted where the service asks it. */
export const outsideCalls = ["keyLookUps", "chainQuestions", "supplierRequests", "tripLookUps"] as const;
export type OutsideCall = (typeof outsideCalls)[number];

/** What the meter inside of the attacked service says. */
export const Reading = z.object({
  /** What the process, or the part of it that JavaScript uses, has grown by since the last reset, at its highest. */
  grownMegabytes: z.number(),
  /** What JavaScript has held since then, at the most, when it was looked at after garbage had been collected. */
  heldMegabytes: z.number(),
  mostWaitingRequests: z.number(),
  waitingRequests: z.number(),
  /** Held open, of everybody. */
  connections: z.number(),
  /** What the service has read of each connection that is open, by the port of the other end. */
  readBytes: z.record(z.string(), z.number()),
  /** Calls of the harness's own tool, which work as long as their callers are there. */
  runningStreams: z.number(),
  calls: z.record(z.enum(outsideCalls), z.number()),
});
export type Reading = z.infer<typeof Reading>;
