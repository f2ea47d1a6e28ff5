import { defineJob } from "../../kernel/contracts/job.ts";
import { defineModule } from "./context.ts";
import * as documentScans from "./migrations/0109-document-scans.ts";
import { createScans } from "./store.ts";

const DELETE_MILLISECONDS = 15_000;

/** Data from scanned identity documents, for the one call that puts it into a traveler's profile. */
export const scansModule = defineModule({
  name: "scans",
  stores: ({ db, clock }) => ({ scans: createScans(db, clock) }),
  personRecords: () => ({
    tables: {
      notSearched: { document_scan: "sealed for whoever has the scan's id, and deleted within minutes" },
    },
  }),
  migrations: { "0109-document-scans": documentScans },
  jobs: ({ stores: { scans } }) => [
    defineJob({
      name: "delete-expired-scans",
      everyMilliseconds: DELETE_MILLISECONDS,
      run: () => scans.deleteExpired(),
    }),
  ],
});
