import type { Kysely } from "kysely";
import type { Clock } from "../ports/clock.ts";
import type { Aggregates, Stores } from "../ports/stores.ts";
import { createBookings } from "./bookings.ts";
import type { Database, Queryable } from "./database.ts";
import { createEffects } from "./effects.ts";
import { createLedger } from "./ledger.ts";
import { createPrivateOffers } from "./private-offers.ts";

export function createStores(db: Kysely<Database>, clock: Clock): Stores {
  const aggregates = (queryable: Queryable): Aggregates => ({
    bookings: createBookings(queryable, clock),
    ledger: createLedger(queryable, clock),
    effects: createEffects(queryable),
    privateOffers: createPrivateOffers(queryable),
  });
  return {
    ...aggregates(db),
    transaction: (work) => db.transaction().execute((transaction) => work(aggregates(transaction))),
  };
}
