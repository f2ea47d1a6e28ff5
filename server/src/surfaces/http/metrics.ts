import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

export interface Metrics {
  countCall(tool: string, outcome: string, seconds: number): void;
  /** Prometheus text. */
  render(): Promise<{ contentType: string; text: string }>;
}

const LATENCY_BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 130];

interface Receivables {
  environment: string;
  count: number;
  amount: bigint;
}

/** No label per tenant: tenants' figures come from their usage records. */
export function createMetrics(gauges: {
  ledgerImbalanceMicroUsdc(): Promise<bigint>;
  receivables(): Promise<readonly Receivables[]>;
  ledgerChainDifferences(): readonly { network: string; token: string; micro: bigint }[];
}): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const calls = new Counter({
    name: "wayfare_calls_total",
    help: "Tool calls by outcome: ok or an error code.",
    labelNames: ["tool", "outcome"],
    registers: [registry],
  });
  const seconds = new Histogram({
    name: "wayfare_call_seconds",
    help: "Seconds from the start of a call to its outcome.",
    labelNames: ["tool"],
    buckets: LATENCY_BUCKETS_SECONDS,
    registers: [registry],
  });
  new Gauge({
    name: "wayfare_ledger_imbalance_micro_usdc",
    help: "Sum over all ledger accounts. Anything but 0 is an error.",
    registers: [registry],
    async collect() {
      this.set(Number(await gauges.ledgerImbalanceMicroUsdc()));
    },
  });
  new Gauge({
    name: "wayfare_ledger_chain_difference_micro",
    help: "By how much the books and the chain disagree, in micro-units, when they were last compared. Anything but 0 stops money.",
    labelNames: ["network", "token"],
    registers: [registry],
    collect() {
      for (const { network, token, micro } of gauges.ledgerChainDifferences())
        this.set({ network, token }, Number(micro));
    },
  });
  const receivablesGauge = (name: string, help: string, read: (found: Receivables) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ["network"],
      registers: [registry],
      async collect() {
        const found = await gauges.receivables();
        this.reset();
        for (const receivables of found) this.set({ network: receivables.environment }, read(receivables));
      },
    });
  receivablesGauge(
    "wayfare_receivables",
    "Calls that were carried out and whose payment could not be fetched.",
    ({ count }) => count,
  );
  receivablesGauge(
    "wayfare_receivables_micro_usdc",
    "What payments that could not be fetched, of calls that were carried out, come to.",
    ({ amount }) => Number(amount),
  );
  // Looking a metric up by its labels costs more than counting.
  const counters = new Map<string, Counter.Internal>();
  const histograms = new Map<string, Histogram.Internal<string>>();
  return {
    countCall(tool, outcome, elapsedSeconds) {
      const key = `${tool} ${outcome}`;
      const counter = counters.get(key) ?? calls.labels({ tool, outcome });
      const histogram = histograms.get(tool) ?? seconds.labels({ tool });
      counters.set(key, counter);
      histograms.set(tool, histogram);
      counter.inc();
      histogram.observe(elapsedSeconds);
    },
    render: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
}
