import { defineModule } from "./context.ts";
import * as tripMemory from "./migrations/0043-trip-memory.ts";
import { createTripRecords } from "./store.ts";

/** The record of trips. The modules in which something happens write it, in the transactions that store the event. */
export const tripRecordModule = defineModule({
  name: "trip-record",
  stores: ({ db }) => ({ tripRecords: createTripRecords(db) }),
  personRecords: () => ({
    tables: {
      naming: [{ table: "trip_entry", column: "user_id" }],
      notSearched: { trip_entry: "names nobody but by the user's id, and is only added to" },
    },
  }),
  migrations: { "0043-trip-memory": tripMemory },
});
