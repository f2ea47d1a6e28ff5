import type { Gauge } from "../../../kernel/contracts/module.ts";
import type { Scanner } from "./scanner.ts";

/** The scanner's load, and how long documents wait for it. */
export function scannerGauges(scanner: Pick<Scanner, "stats">): readonly Gauge[] {
  return [
    {
      name: "wayfare_scans_running",
      help: "Documents being read.",
      read: () => [{ value: scanner.stats().running }],
    },
    {
      name: "wayfare_scans_waiting",
      help: "Documents waiting to be read.",
      read: () => [{ value: scanner.stats().waiting }],
    },
    {
      name: "wayfare_scans",
      help: "Documents since the start, by outcome of reading.",
      labelNames: ["outcome"],
      read: () => Object.entries(scanner.stats().scans).map(([outcome, value]) => ({ labels: { outcome }, value })),
    },
    {
      name: "wayfare_scan_wait_seconds",
      help: "Total time that documents have waited to be read since the start.",
      read: () => [{ value: scanner.stats().waitSeconds }],
    },
    {
      name: "wayfare_scan_seconds",
      help: "Total time spent reading documents since the start.",
      read: () => [{ value: scanner.stats().scanSeconds }],
    },
  ];
}
