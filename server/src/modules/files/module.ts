import { defineJob } from "../../kernel/contracts/job.ts";
import { defineModule } from "./context.ts";
import { createFileShelf } from "./file-shelf.ts";
import * as sharedFiles from "./migrations/0029-shared-files.ts";
import { fileRoutes } from "./routes.ts";
import { createSharedFiles } from "./store.ts";

const PRUNE_MILLISECONDS = 600_000;

/** Files that tools make for people, at secret addresses that expire. */
export const filesModule = defineModule({
  name: "files",
  routes: fileRoutes,
  stores: ({ db }) => ({ sharedFiles: createSharedFiles(db) }),
  personRecords: () => ({ tables: { notSearched: { shared_file: "invoices as files, and maps" } } }),
  migrations: { "0029-shared-files": sharedFiles },
  ports: ({ urls, stores, clock, random }, environment) => ({
    fileShelf: createFileShelf({ appUrl: urls.app, environment, files: stores.sharedFiles, clock, random }),
  }),
  jobs: ({ stores, clock }) => [
    defineJob({
      name: "prune-shared-files",
      everyMilliseconds: PRUNE_MILLISECONDS,
      run: () => stores.sharedFiles.prune(clock.now()),
    }),
  ],
});
