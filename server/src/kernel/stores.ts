import type { Bookings } from "../modules/bookings/bookings.ts";
import type { Effects } from "../modules/effects/effects.ts";
import type { EscrowBookings } from "../modules/escrow/escrow-bookings.ts";
import type { GuestMails } from "../modules/escrow/guest-mails.ts";
import type { Trips } from "../modules/escrow/trips.ts";
import type { PrivateOffers } from "../modules/flights/private-offer-records.ts";
import type { Ledger } from "../modules/ledger/ledger.ts";
import type { Orders } from "../modules/orders/orders.ts";
import type { Payments } from "../modules/payments/payments.ts";
import type { PricingPolicies } from "../modules/pricing/pricing-policies.ts";
import type { Feedbacks, Validations } from "../modules/reputation/reputation.ts";
import type { ServicingActions, ServicingQuotes } from "../modules/servicing/servicing-actions.ts";
import type { NegotiatedRates } from "../modules/stays/negotiated-rate-records.ts";
import type { UsageSettlements } from "../modules/usage/usage-settlements.ts";
import type { ChainNetworks } from "../ports/chain-networks.ts";
import type { ChainTransactions } from "../ports/chain-transactions.ts";
import type { WebhookEndpoints, WebhookInbox } from "../ports/supplier-webhooks.ts";
import type { Wallets } from "../ports/wallets.ts";

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
