import { Counter, collectDefaultMetrics, Histogram, Gauge as PrometheusGauge, Registry } from "prom-client";
import type { Gauge } from "../../kernel/contracts/module.ts";

export interface Metrics {
  addGauges(gauges: readonly Gauge[]): void;
  countCall(tool: string, outcome: string, seconds: number): void;
  countJob(job: string, outcome: string): void;
  /** Renders Prometheus text. */
  render(): Promise<{ contentType: string; text: string }>;
}

const LATENCY_BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 130];

/** No label per tenant: tenants' figures come from their usage records. */
export function createMetrics(version: string): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  new PrometheusGauge({
    name: "wayfare_build_info",
    help: "Always 1; its labels identify the running version.",
    labelNames: ["version", "node"],
    registers: [registry],
  }).set({ version, node: process.versions.node }, 1);
  const calls = new Counter({
    name: "wayfare_calls_total",
    help: "Tool calls by outcome: ok or an error code.",
    labelNames: ["tool", "outcome"],
    registers: [registry],
  });
  const seconds = new Histogram({
    name: "wayfare_call_seconds",
    help: "Duration of a call in seconds.",
    labelNames: ["tool"],
    buckets: LATENCY_BUCKETS_SECONDS,
    registers: [registry],
  });
  const jobRuns = new Counter({
    name: "wayfare_job_runs_total",
    help: "Background job runs by outcome: ok or failed.",
    labelNames: ["job", "outcome"],
    registers: [registry],
  });
  // Looking a metric up by its labels costs more than counting.
  const counters = new Map<string, Counter.Internal>();
  const histograms = new Map<string, Histogram.Internal<string>>();
  return {
    addGauges(gauges) {
      for (const gauge of gauges) registerGauge(registry, gauge);
    },
    countCall(tool, outcome, elapsedSeconds) {
      const key = `${tool} ${outcome}`;
      const counter = counters.get(key) ?? calls.labels({ tool, outcome });
      const histogram = histograms.get(tool) ?? seconds.labels({ tool });
      counters.set(key, counter);
      histograms.set(tool, histogram);
      counter.inc();
      histogram.observe(elapsedSeconds);
    },
    countJob: (job, outcome) => jobRuns.inc({ job, outcome }),
    render: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
}

function registerGauge(registry: Registry, { name, help, labelNames = [], read }: Gauge): void {
  new PrometheusGauge({
    name,
    help,
    labelNames,
    registers: [registry],
    collect() {
      const values = read();
      this.reset();
      for (const { labels = {}, value } of values) this.set(labels, value);
    },
  });
}
