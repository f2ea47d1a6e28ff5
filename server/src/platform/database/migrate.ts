import { setTimeout as delay } from "node:timers/promises";
import { type Migration, Migrator } from "kysely";
import pg from "pg";
import * as bookings from "../../modules/bookings/migrations/0003-bookings.ts";
import * as chain from "../../modules/chain/migrations/0005-chain.ts";
import * as chainRequests from "../../modules/chain/migrations/0007-chain-requests.ts";
import * as escrow from "../../modules/escrow/migrations/0014-escrow.ts";
import * as guestMail from "../../modules/escrow/migrations/0015-guest-mail.ts";
import * as escrowAdoption from "../../modules/escrow/migrations/0017-escrow-adoption.ts";
import * as privateOffers from "../../modules/flights/migrations/0004-private-offers.ts";
import * as identity from "../../modules/identity/migrations/0001-identity.ts";
import * as ledgerOnChain from "../../modules/ledger/migrations/0006-ledger-on-chain.ts";
import * as orders from "../../modules/orders/migrations/0010-orders.ts";
import * as payments from "../../modules/payments/migrations/0008-payments.ts";
import * as paymentAnswers from "../../modules/payments/migrations/0012-payment-answers.ts";
import * as paymentsUnderWay from "../../modules/payments/migrations/0013-payments-under-way.ts";
import * as reputation from "../../modules/reputation/migrations/0016-reputation.ts";
import * as servicing from "../../modules/servicing/migrations/0009-servicing.ts";
import * as negotiatedRates from "../../modules/stays/migrations/0011-negotiated-rates.ts";
import * as billing from "../../modules/usage/migrations/0002-billing.ts";
import type { OpenDatabase } from "./database.ts";
import { isDatabaseAway } from "./transient.ts";

const migrations: Record<string, Migration> = {
  "0001-identity": identity,
  "0002-billing": billing,
  "0003-bookings": bookings,
  "0004-private-offers": privateOffers,
  "0005-chain": chain,
  "0006-ledger-on-chain": ledgerOnChain,
  "0007-chain-requests": chainRequests,
  "0008-payments": payments,
  "0009-servicing": servicing,
  "0010-orders": orders,
  "0011-negotiated-rates": negotiatedRates,
  "0012-payment-answers": paymentAnswers,
  "0013-payments-under-way": paymentsUnderWay,
  "0014-escrow": escrow,
  "0015-guest-mail": guestMail,
  "0016-reputation": reputation,
  "0017-escrow-adoption": escrowAdoption,
};

/** Any number; the same for every process that prepares this product's database. */
const PREPARATION_LOCK = 7_411_200_501n;
const POLL_MILLISECONDS = 100;
const LOCK_TIMEOUT_MILLISECONDS = 120_000;

/**
 * Runs `work` in one process at a time, of all that share the database. The lock is polled on its own connection: a blocking
 * lock deadlocks with libraries that build indexes concurrently, and without a lock processes that start together fail each
 * other.
 */
export async function withPreparationLock<Result>(databaseUrl: string, work: () => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: databaseUrl });
  // A server that dies meanwhile fails the statement under way; without a listener it would end the process.
  client.on("error", () => undefined);
  await client.connect();
  try {
    const deadline = performance.now() + LOCK_TIMEOUT_MILLISECONDS;
    while (!(await tryLock(client))) {
      if (performance.now() > deadline)
        throw new Error("Another process has been preparing the database for two minutes.");
      await delay(POLL_MILLISECONDS);
    }
    return await work();
  } finally {
    // Ending the session releases the lock.
    await client.end().catch(() => undefined);
  }
}

/** The only runner of migrations. */
export async function migrateToLatest(databaseUrl: string, database: OpenDatabase): Promise<void> {
  await withPreparationLock(databaseUrl, () => migrateUnlocked(database));
}

/** For callers that hold the preparation lock. */
export async function migrateUnlocked(database: OpenDatabase): Promise<void> {
  const migrator = new Migrator({ db: database.db, provider: { getMigrations: async () => migrations } });
  const { error } = await migrator.migrateToLatest();
  if (error === undefined) return;
  if (isDatabaseAway(error)) throw error;
  throw new Error("The database could not be migrated.", { cause: error });
}

async function tryLock(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>("select pg_try_advisory_lock($1) as locked", [
    PREPARATION_LOCK.toString(),
  ]);
  return rows[0]?.locked === true;
}
