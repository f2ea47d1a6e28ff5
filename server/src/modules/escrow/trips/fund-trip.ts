import type { ChainTransaction } from "../../../ports/chain/chain-transactions.ts";
import type { TripTerms } from "../../../ports/chain/escrow-contract.ts";
import { type SendOutAnswer, type SendOutPorts, sendOut } from "../../treasury/index.ts";
import type { NewTrip } from "../../trips/index.ts";
import type { Aggregates } from "../context.ts";
import { TRIP_PREFUND_PURPOSE } from "../purposes.ts";
import { tripPrefund } from "./prefund-operation.ts";

export interface FundingRequest {
  callId: string;
  trip: NewTrip;
  terms: TripTerms;
  /** The answer but for `txHash`, `chainId` and `status`. It is stored: nothing secret may be in it. */
  result: Readonly<Record<string, unknown>>;
  /** Whether what an earlier call with the same Idempotency-Key has stored is what is asked now. */
  isSame(earlier: ChainTransaction): boolean;
  waitMilliseconds?: number | undefined;
}

/**
 * Stores the trip as `funding` with the operation that brings its budget from the tenant's treasury into the escrow, and waits.
 * Throws Failure with a code of `sendOutErrors`.
 */
export async function fundTrip(ports: SendOutPorts, request: FundingRequest): Promise<SendOutAnswer> {
  const { callId, trip, terms, result, isSame, waitMilliseconds } = request;
  const { tenantId, tripId, escrow } = trip;
  return await sendOut(ports, {
    tenantId,
    callId,
    idempotencyKey: `${TRIP_PREFUND_PURPOSE}:${callId}`,
    purpose: TRIP_PREFUND_PURPOSE,
    operation: tripPrefund,
    input: { token: "USDC", escrow, tripId, terms },
    result,
    waitMilliseconds,
    isSame,
    async alongside({ trips }: Aggregates) {
      await trips.insert(trip);
    },
  });
}
