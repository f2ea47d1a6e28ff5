import type { Attack } from "../attack.ts";
import { ambiguousLengths } from "./ambiguous-lengths.ts";
import { oversizedBodies, piecedBodies } from "./bodies.ts";
import { claimCodes } from "./claim-codes.ts";
import { halfBodiesOfStrangers, halfBodiesWithKey } from "./half-bodies.ts";
import { headerFlood } from "./header-flood.ts";
import { leftStreams } from "./left-streams.ts";
import { failingPaidCalls, forgedPayments, unpaidCalls } from "./payments.ts";
import { pipelining } from "./pipelining.ts";
import { refusedKeys } from "./refused-keys.ts";
import { describedRoutes } from "./routes.ts";
import { halfClosed, idleConnections, slowBodies, slowHeaders } from "./slow-clients.ts";
import { deepJson, packedBodies } from "./texts.ts";

export const attacks: readonly Attack[] = [
  pipelining,
  headerFlood,
  ambiguousLengths,
  piecedBodies,
  oversizedBodies,
  halfBodiesOfStrangers,
  halfBodiesWithKey,
  deepJson,
  packedBodies,
  describedRoutes,
  refusedKeys,
  failingPaidCalls,
  forgedPayments,
  unpaidCalls,
  claimCodes,
  leftStreams,
  slowHeaders,
  slowBodies,
  halfClosed,
  idleConnections,
];
