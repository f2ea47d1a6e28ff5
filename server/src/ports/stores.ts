import type { Bookings } from "./bookings.ts";
import type { ChainNetworks } from "./chain-networks.ts";
import type { ChainTransactions } from "./chain-transactions.ts";
import type { Effects } from "./effects.ts";
import type { EscrowBookings } from "./escrow-bookings.ts";
import type { GuestMails } from "./guest-mails.ts";
import type { Ledger } from "./ledger.ts";
import type { NegotiatedRates } from "./negotiated-rates.ts";
import type { Orders } from "./orders.ts";
import type { Payments } from "./payments.ts";
import type { PricingPolicies } from "./pricing-policies.ts";
import type { PrivateOffers } from "./private-offers.ts";
import type { Feedbacks, Validations } from "./reputation.ts";
import type { ServicingActions, ServicingQuotes } from "./servicing-actions.ts";
import type { WebhookEndpoints, WebhookInbox } from "./supplier-webhooks.ts";
import type { Trips } from "./trips.ts";
import type { UsageSettlements } from "./usage-settlements.ts";
import type { Wallets } from "./wallets.ts";

/** Stored aggregates that change together. */
export interface Aggregates {
  bookings: Bookings;
  ledger: Ledger;
  effects: Effects;
  privateOffers: PrivateOffers;
  negotiatedRates: NegotiatedRates;
  wallets: Wallets;
  chainNetworks: ChainNetworks;
  chainTransactions: ChainTransactions;
  usageSettlements: UsageSettlements;
  payments: Payments;
  servicingActions: ServicingActions;
  servicingQuotes: ServicingQuotes;
  orders: Orders;
  webhookInbox: WebhookInbox;
  webhookEndpoints: WebhookEndpoints;
  trips: Trips;
  escrowBookings: EscrowBookings;
  guestMails: GuestMails;
  pricingPolicies: PricingPolicies;
  feedbacks: Feedbacks;
  validations: Validations;
}

export interface Stores extends Aggregates {
  /** Runs `work` in one transaction over all aggregates; whatever it throws rolls everything back. */
  transaction<T>(work: (aggregates: Aggregates) => Promise<T>): Promise<T>;
}
