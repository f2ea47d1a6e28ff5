import type { BlockList } from "node:net";
import { CostlyCalls } from "../../kernel/call/costly-calls.ts";
import type { Log } from "../../ports/log.ts";
import { defineModule, type Settings } from "./context.ts";
import type { DocumentScanner } from "./document-scanner.ts";
import { createDocumentDownloads } from "./receiving/document-downloads.ts";
import type { DocumentSource } from "./receiving/document-source.ts";
import { createDocumentScanner } from "./scanning/scan-with-model.ts";
import { Scanner } from "./scanning/scanner.ts";
import { scannerGauges } from "./scanning/scanner-gauges.ts";
import { scanDocument } from "./tools/scan-document.ts";

declare module "../../kernel/contracts/parts.ts" {
  interface ModuleParts {
    readonly "documents.scanner": Scanner;
    readonly "documents.documentScanner": DocumentScanner;
    readonly "documents.documentSource": DocumentSource;
    readonly "documents.payerTurns": Pick<CostlyCalls, "turnOf">;
    readonly "documents.fetchTurns": Pick<CostlyCalls, "turnOf">;
  }
  interface ModuleSettings {
    readonly "documents.scanProcesses": number;
    readonly "documents.scanTimeoutSeconds": number;
    readonly "documents.scanMemoryMegabytes": number;
    /** Undefined: documents are fetched without one. */
    readonly "documents.egressProxyUrl": string | undefined;
    /** Networks that are not public and have documents. */
    readonly "documents.documentNetworks": BlockList;
  }
}

declare module "../../kernel/contracts/tool.ts" {
  interface ModulePorts {
    "documents.documentScanner": DocumentScanner;
    "documents.documentSource": DocumentSource;
    /** For scans of who pays without a key. */
    "documents.payerTurns": Pick<CostlyCalls, "turnOf">;
    /** For documents that are fetched, until they are read. */
    "documents.fetchTurns": Pick<CostlyCalls, "turnOf">;
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
          costlyCalls: scanProcesses + FETCHED_BY_ALL,
          costlyCallsPerTenant: scanProcesses + FETCHED_AHEAD,
          ...FETCHES,
        },
        "documents",
      ),
  },
  ports: ({ documentScanner, documentSource, payerTurns, fetchTurns }) => ({
    documentScanner,
    documentSource,
    payerTurns,
    fetchTurns,
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
