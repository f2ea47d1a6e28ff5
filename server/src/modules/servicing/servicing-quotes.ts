import type { Environment } from "../../ports/identity.ts";
import type { CancellationQuote } from "../../ports/supplier/flight-servicing.ts";
import type { OrderRecord } from "../orders/index.ts";

declare module "../../kernel/contracts/stores.ts" {
  interface ModuleStores {
    "servicing.servicingQuotes": ServicingQuotes;
  }
}

/** What a stay's cancellation gives back while the present step of its policy lasts. */
export interface StayCancellationQuote {
  /** `scq_…` */
  id: string;
  tenantId: string;
  environment: Environment;
  stayId: string;
  refundAmount: string;
  refundCurrency: string;
  /** Undefined: no later step of the policy changes it. */
  expiresAt: Temporal.Instant | undefined;
}

/** What cancelling a flight order gives back, as the supplier quoted it. */
export interface FlightCancellationQuote
  extends Pick<CancellationQuote, "id" | "orderId" | "refundAmount" | "refundCurrency" | "refundTo"> {
  tenantId: string;
  environment: Environment;
  credits: readonly Pick<CancellationQuote["credits"][number], "amount" | "currency">[];
}

/** Quotes and offers of servicing, as far as the supplier does not keep them or does not say whose they are. */
export interface ServicingQuotes {
  rememberChangeOffers(
    order: Pick<OrderRecord, "tenantId" | "environment" | "orderId">,
    changeOfferIds: readonly string[],
  ): Promise<void>;
  /** Undefined also for another tenant's. */
  findOrderOfChangeOffer(
    tenantId: string,
    environment: Environment,
    changeOfferId: string,
  ): Promise<string | undefined>;
  insertStayCancellation(quote: StayCancellationQuote): Promise<void>;
  /** Undefined also for another tenant's. */
  findStayCancellation(
    tenantId: string,
    environment: Environment,
    id: string,
  ): Promise<StayCancellationQuote | undefined>;
  /** For who is shown what a confirmation would do: the supplier keeps the quote, and has the last word. */
  insertFlightCancellation(quote: FlightCancellationQuote): Promise<void>;
  /** Undefined also for another tenant's, and for one that was forgotten. */
  findFlightCancellation(
    tenantId: string,
    environment: Environment,
    id: string,
  ): Promise<FlightCancellationQuote | undefined>;
  /** Forgets change offers and quotes of flights that were made before this. */
  prune(before: Temporal.Instant): Promise<void>;
}
