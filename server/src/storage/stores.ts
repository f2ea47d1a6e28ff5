import type { Kysely } from "kysely";
import type { Clock } from "../ports/clock.ts";
import type { Aggregates, Stores } from "../ports/stores.ts";
import type { Vault } from "../ports/vault.ts";
import { createBookings } from "./bookings.ts";
import { createChainNetworks } from "./chain-networks.ts";
import { createChainTransactions } from "./chain-transactions.ts";
import type { Database, Queryable } from "./database.ts";
import { createEffects } from "./effects.ts";
import { createEscrowBookings } from "./escrow-bookings.ts";
import { createGuestMails } from "./guest-mails.ts";
import { createLedger } from "./ledger.ts";
import { createNegotiatedRates } from "./negotiated-rates.ts";
import { createOrders } from "./orders.ts";
import { createPayments } from "./payments.ts";
import { createPricingPolicies } from "./pricing-policies.ts";
import { createPrivateOffers } from "./private-offers.ts";
import { createFeedbacks } from "./reputation.ts";
import { createValidations } from "./reputation-validations.ts";
import { createServicingActions } from "./servicing-actions.ts";
import { createServicingQuotes } from "./servicing-quotes.ts";
import { createTrips } from "./trips.ts";
import { createUsageSettlements } from "./usage-settlements.ts";
import { createWallets } from "./wallets.ts";
import { createWebhookEndpoints, createWebhookInbox } from "./webhook-inbox.ts";

/** Over a caller's transaction when `db` is one. */
export function createAggregates(db: Queryable, clock: Clock, vault: Vault): Aggregates {
  return {
    bookings: createBookings(db, clock),
    ledger: createLedger(db, clock),
    effects: createEffects(db),
    privateOffers: createPrivateOffers(db),
    negotiatedRates: createNegotiatedRates(db, clock),
    wallets: createWallets({ db, vault, clock }),
    chainNetworks: createChainNetworks(db, clock),
    chainTransactions: createChainTransactions(db, clock),
    usageSettlements: createUsageSettlements(db),
    payments: createPayments(db, clock),
    servicingActions: createServicingActions(db, clock),
    servicingQuotes: createServicingQuotes(db, clock),
    orders: createOrders(db, clock),
    webhookInbox: createWebhookInbox(db, clock),
    webhookEndpoints: createWebhookEndpoints({ db, vault, clock }),
    trips: createTrips({ db, vault, clock }),
    escrowBookings: createEscrowBookings(db, clock),
    pricingPolicies: createPricingPolicies(db, clock),
    feedbacks: createFeedbacks(db, clock),
    validations: createValidations(db, clock),
    guestMails: createGuestMails(db, clock),
  };
}

export function createStores(db: Kysely<Database>, clock: Clock, vault: Vault): Stores {
  return {
    ...createAggregates(db, clock, vault),
    transaction: (work) => db.transaction().execute((transaction) => work(createAggregates(transaction, clock, vault))),
  };
}
