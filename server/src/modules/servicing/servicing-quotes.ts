import type { Environment } from "../../ports/identity.ts";
import type { CancellationQuote } from "../../ports/supplier/flight-servicing.ts";
import type { OrderRecord } from "../orders/index.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "servicing.servicingQuotes": ServicingQuotes;
  }
}

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

/** Servicing quotes and offers whose contents or owner the supplier does not keep. */
export interface ServicingQuotes {
  rememberChangeOffers(
    order: Pick<OrderRecord, "tenantId" | "environment" | "orderId">,
    changeOfferIds: readonly string[],
  ): Promise<void>;
  /** Undefined also for an order of another tenant. */
  findOrderOfChangeOffer(
    tenantId: string,
    environment: Environment,
    changeOfferId: string,
  ): Promise<string | undefined>;
  insertStayCancellation(quote: StayCancellationQuote): Promise<void>;
  /** Undefined also for an order of another tenant. */
  findStayCancellation(
    tenantId: string,
    environment: Environment,
    id: string,
  ): Promise<StayCancellationQuote | undefined>;
  /** For previews of a confirmation: the supplier's own quote decides. */
  insertFlightCancellation(quote: FlightCancellationQuote): Promise<void>;
  /** Undefined also for another tenant's quote and for a deleted one. */
  findFlightCancellation(
    tenantId: string,
    environment: Environment,
    id: string,
  ): Promise<FlightCancellationQuote | undefined>;
  /** Deletes change offers and flight quotes made before this. */
  prune(before: Temporal.Instant): Promise<void>;
}
