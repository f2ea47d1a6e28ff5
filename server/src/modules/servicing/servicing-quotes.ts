import type { Environment } from "../../ports/identity.ts";
import type { CancellationQuote } from "../../ports/supplier/flight-servicing.ts";

/** The refund of a stay's cancellation during the current step of its policy. */
export interface StayCancellationQuote {
  /** `scq_…` */
  id: string;
  tenantId: string;
  environment: Environment;
  stayId: string;
  refundAmount: string;
  refundCurrency: string;
  /** Undefined: no later step changes it. */
  expiresAt: Temporal.Instant | undefined;
}

/** The refund of a flight order's cancellation, as the supplier quoted it. */
export interface FlightCancellationQuote
  extends Pick<CancellationQuote, "id" | "orderId" | "refundAmount" | "refundCurrency" | "refundTo"> {
  tenantId: string;
  environment: Environment;
  credits: readonly Pick<CancellationQuote["credits"][number], "amount" | "currency">[];
}
