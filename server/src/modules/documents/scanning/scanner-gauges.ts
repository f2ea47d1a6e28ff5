import type { Gauge } from "../../../kernel/contracts/module.ts";
import type { Scanner } from "./scanner.ts";

/** The scanner's load, and how long documents wait for it. */
export function scannerGauges(scanner: Pick<Scanner, "stats">): readonly Gauge[] {
  return [
    {
      name: "wayfare_scans_running",
      help: "Documents that are being read.",
      read: () => [{ value: scanner.stats().running }],
    },
    {
      name: "wayfare_scans_waiting",
      help: "Documents that wait for their turn to be read.",
      read: () => [{ value: scanner.stats().waiting }],
    },
    {
      name: "wayfare_scans",
      help: "Documents since the start, by how their reading ended.",
      labelNames: ["outcome"],
      read: () => Object.entries(scanner.stats().scans).map(([outcome, value]) => ({ labels: { outcome }, value })),
    },
    {
      name: "wayfare_scan_wait_seconds",
      help: "How long documents have waited for their turn since the start, in all.",
      read: () => [{ value: scanner.stats().waitSeconds }],
    },
    {
      name: "wayfare_scan_seconds",
      help: "How long documents have been read since the start, in all.",
      read: () => [{ value: scanner.stats().scanSeconds }],
    },
  ];
}
