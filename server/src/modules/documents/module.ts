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
    readonly "documents.payerTurns": Pick<CostlyCalls, "createTurn">;
    readonly "documents.fetchTurns": Pick<CostlyCalls, "createTurn">;
  }
  interface ModuleSettings {
    readonly "documents.scanProcesses": number;
    readonly "documents.scanTimeoutSeconds": number;
    readonly "documents.scanMemoryMegabytes": number;
    /** Undefined if documents are fetched without one. */
    readonly "documents.egressProxyUrl": string | undefined;
    /** Networks with documents that are not public. */
    readonly "documents.documentNetworks": BlockList;
  }
}

declare module "../../kernel/contracts/tool.ts" {
  interface ModulePorts {
    "documents.documentScanner": DocumentScanner;
    "documents.documentSource": DocumentSource;
    /** For scans by payers without a key. */
    "documents.payerTurns": Pick<CostlyCalls, "createTurn">;
    /** For fetched documents, until they are read. */
    "documents.fetchTurns": Pick<CostlyCalls, "createTurn">;
  }
}

/** Per payer: a failed scan costs more than it earns. */
const SCANS_OF_A_PAYER = { costlyCallsPerTenant: 1, costlyCallsWaiting: 2, costlyCallsWaitMilliseconds: 10_000 };
/** The scanner itself limits all scans together. */
const ANY_NUMBER = 1_000_000;

/** Per tenant or payer: one document is fetched while others are read. */
const FETCHED_AHEAD = 1;
const FETCHED_BY_ALL = 4;
const FETCHES = { costlyCallsWaiting: 20, costlyCallsWaitMilliseconds: 10_000 };

/** Reads documents that travelers photograph or keep as files, without storing anything of them. */
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
    // One process is always left for others.
    processesPerOwner: Math.max(1, scanProcesses - 1),
    timeoutMilliseconds: scanTimeoutSeconds * 1_000,
    // Whoever waited longer would have too little time left to be read.
    waitMilliseconds: (scanTimeoutSeconds * 1_000) / 2,
    memoryMegabytes: scanMemoryMegabytes,
  };
  return new Scanner(settings, { failed: (how) => log.error({ how }, "a document could not be read") });
}
