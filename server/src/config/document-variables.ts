import { http, networks, url, wholeNumber, withDefault } from "./values.ts";

/** How callers' documents are fetched and read. */
export const documentVariables = {
  scanProcesses: withDefault(
    "SCAN_PROCESSES",
    "2",
    "How many documents are read at once, each in a process of its own; others wait. More than there are processors slows all down.",
    wholeNumber(1, 64),
  ),
  scanTimeoutSeconds: withDefault(
    "SCAN_TIMEOUT_SECONDS",
    "60",
    "How long reading one document may take before its process is ended, in seconds. Scanned pages take the longest, and longer on a busy machine.",
    wholeNumber(1, 300),
  ),
  scanMemoryMegabytes: withDefault(
    "SCAN_MEMORY_MB",
    "1024",
    "How much memory the process that reads a document may take before it is ended, in megabytes.",
    wholeNumber(256, 16_384),
  ),
  egressProxyUrl: url(
    "EGRESS_PROXY_URL",
    http,
    "A proxy that fetches documents from addresses of callers, by CONNECT. It resolves their names: have it refuse addresses of your own network. Unset: they are fetched directly, from public addresses only.",
  ),
  documentNetworks: withDefault(
    "DOCUMENT_NETWORKS",
    "",
    "Networks that are not public, such as `10.1.2.0/24`, separated by commas, from which documents may be fetched all the same. Every caller can then reach port 443 of all their addresses.",
    networks,
  ),
};
