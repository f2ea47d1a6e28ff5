import { http, networks, url, wholeNumber, withDefault } from "./values.ts";

/** How callers' documents are fetched and read. */
export const documentVariables = {
  scanProcesses: withDefault(
    "SCAN_PROCESSES",
    "2",
    "Documents that are read concurrently, each in a separate process; others wait. More than the number of processors slows all of them down.",
    wholeNumber(1, 64),
  ),
  scanTimeoutSeconds: withDefault(
    "SCAN_TIMEOUT_SECONDS",
    "45",
    "Seconds that a document may take, from the call to the answer, before its process is ended; half of them may be the wait for its turn. Scanned pages take longest, and longer on a busy machine. Most MCP clients give up after 60 seconds.",
    wholeNumber(1, 300),
  ),
  scanMemoryMegabytes: withDefault(
    "SCAN_MEMORY_MB",
    "1024",
    "Megabytes of memory that the process reading a document may use before it is ended.",
    wholeNumber(256, 16_384),
  ),
  egressProxyUrl: url(
    "EGRESS_PROXY_URL",
    http,
    "A proxy for fetching documents from callers' addresses, using CONNECT. It resolves their names, so configure it to refuse addresses of your own network. Unset: they are fetched directly, from public addresses only.",
  ),
  documentNetworks: withDefault(
    "DOCUMENT_NETWORKS",
    "",
    "Comma-separated private networks, such as `10.1.2.0/24`, from which documents may be fetched. Every caller can then reach port 443 of all their addresses.",
    networks,
  ),
};
