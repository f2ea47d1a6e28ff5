import type { Kysely } from "kysely";
import type { Aggregates, Stores } from "./kernel/stores.ts";
import { createBookings } from "./modules/bookings/store.ts";
import { createChainNetworks } from "./modules/chain/store-networks.ts";
import { createChainTransactions } from "./modules/chain/store-transactions.ts";
import { createEffects } from "./modules/effects/store.ts";
import { createEscrowBookings } from "./modules/escrow/store-bookings.ts";
import { createGuestMails } from "./modules/escrow/store-mails.ts";
import { createTrips } from "./modules/escrow/store-trips.ts";
import { createPrivateOffers } from "./modules/flights/store-private-offers.ts";
import { createLedger } from "./modules/ledger/store.ts";
import { createOrders } from "./modules/orders/store.ts";
import { createPayments } from "./modules/payments/store.ts";
import { createPricingPolicies } from "./modules/pricing/store.ts";
import { createFeedbacks } from "./modules/reputation/store-feedback.ts";
import { createValidations } from "./modules/reputation/store-validations.ts";
import { createServicingActions } from "./modules/servicing/store-actions.ts";
import { createServicingQuotes } from "./modules/servicing/store-quotes.ts";
import { createNegotiatedRates } from "./modules/stays/store-negotiated-rates.ts";
import { createWallets } from "./modules/treasury/store-wallets.ts";
import { createUsageSettlements } from "./modules/usage/store-settlements.ts";
import { createWebhookEndpoints, createWebhookInbox } from "./modules/webhooks/store.ts";
import type { Database, Queryable } from "./platform/database/database.ts";
import type { Clock } from "./ports/clock.ts";
import type { Vault } from "./ports/vault.ts";

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
