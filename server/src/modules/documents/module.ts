import type { BlockList } from "node:net";
import { CostlyCalls } from "../../kernel/costly-calls.ts";
import { defineModule } from "../../kernel/module.ts";
import type { Settings } from "../../kernel/parts.ts";
import type { Log } from "../../ports/log.ts";
import { createDocumentDownloads } from "./document-downloads.ts";
import type { DocumentScanner } from "./document-scanner.ts";
import type { DocumentSource } from "./document-source.ts";
import { createDocumentScanner } from "./scan-with-model.ts";
import { Scanner } from "./scanner.ts";
import { scannerGauges } from "./scanner-gauges.ts";
import { scanDocument } from "./tools/scan-document.ts";

declare module "../../kernel/parts.ts" {
  interface Parts {
    readonly scanner: Scanner;
    readonly documentScanner: DocumentScanner;
    readonly documentSource: DocumentSource;
    readonly payerTurns: Pick<CostlyCalls, "turnOf">;
    readonly fetchTurns: Pick<CostlyCalls, "turnOf">;
  }
  interface Settings {
    readonly scanProcesses: number;
    readonly scanTimeoutSeconds: number;
    readonly scanMemoryMegabytes: number;
    /** Undefined: documents are fetched without one. */
    readonly egressProxyUrl: string | undefined;
    /** Networks that are not public and have documents. */
    readonly documentNetworks: BlockList;
  }
}

declare module "../../kernel/tool.ts" {
  interface Ports {
    documentScanner: DocumentScanner;
    documentSource: DocumentSource;
    /** For scans of who pays without a key. */
    payerTurns: Pick<CostlyCalls, "turnOf">;
    /** For documents that are fetched, until they are read. */
    fetchTurns: Pick<CostlyCalls, "turnOf">;
  }
}

/** Of one payer: a scan costs more than it earns when it fails. */
const SCANS_OF_A_PAYER = { costlyCallsPerTenant: 1, costlyCallsWaiting: 2, costlyCallsWaitMilliseconds: 30_000 };
/** What bounds all scans together is the scanner itself. */
const ANY_NUMBER = 1_000_000;

/** Of one tenant or payer, beside those that are read: one more is fetched meanwhile. */
const FETCHED_AHEAD = 1;
const FETCHED_BY_ALL = 4;
const FETCHES = { costlyCallsWaiting: 20, costlyCallsWaitMilliseconds: 30_000 };

/** Reads what travelers photograph and keep as files, and keeps nothing of it. */
export const documentsModule = defineModule({
  name: "documents",
  needs: ["bookings", "orders", "scans", "travelers"],
  tools: [scanDocument],
  parts: {
    scanner: ({ settings, log }) => openScanner(settings, log),
    documentScanner: ({ scanner, pageTranscriber }) => createDocumentScanner(scanner, pageTranscriber),
    documentSource: ({ settings: { egressProxyUrl, documentNetworks } }) =>
      createDocumentDownloads({ proxyUrl: egressProxyUrl, permitted: documentNetworks }),
    payerTurns: () => new CostlyCalls({ ...SCANS_OF_A_PAYER, costlyCalls: ANY_NUMBER }, "documents"),
    fetchTurns: ({ settings: { scanProcesses } }) =>
      new CostlyCalls(
        {
          ...{ costlyCalls: scanProcesses + FETCHED_BY_ALL, costlyCallsPerTenant: scanProcesses + FETCHED_AHEAD },
          ...FETCHES,
        },
        "documents",
      ),
  },
  ports: ({ documentScanner, documentSource, payerTurns, fetchTurns }) => ({
    ...{ documentScanner, documentSource, payerTurns, fetchTurns },
  }),
  stop: ({ scanner }) => scanner.close(),
  gauges: ({ scanner }) => scannerGauges(scanner),
});

function openScanner({ scanProcesses, scanTimeoutSeconds, scanMemoryMegabytes }: Settings, log: Log): Scanner {
  const settings = {
    processes: scanProcesses,
    // One is always left for others.
    processesPerOwner: Math.max(1, scanProcesses - 1),
    timeoutMilliseconds: scanTimeoutSeconds * 1_000,
    memoryMegabytes: scanMemoryMegabytes,
  };
  return new Scanner(settings, { failed: (how) => log.error({ how }, "a document could not be read") });
}
