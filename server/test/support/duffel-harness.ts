import { createDuffel, type DuffelTimeouts } from "../../src/adapters/duffel/index.ts";
import { createHttpClient } from "../../src/outbound/http-client.ts";
import { type Script, startScriptedServer } from "./scripted-server.ts";

export interface LogLine {
  level: string;
  fields: Readonly<Record<string, unknown>>;
  message: string;
}

export const NOW = Temporal.Instant.from("2026-11-20T10:00:00Z");

/** The real adapter and client against a scripted supplier. `await using` closes both. */
export async function startDuffel(script: Script, timeouts: Partial<DuffelTimeouts> = {}) {
  const supplier = await startScriptedServer(script);
  const adapter = duffelAt(supplier.url, timeouts);
  return {
    ...adapter,
    requests: supplier.requests,
    async [Symbol.asyncDispose]() {
      adapter.http.close();
      await supplier.close();
    },
  };
}

export function duffelAt(
  baseUrl: string,
  timeouts: Partial<DuffelTimeouts> = {},
  { token = "duffel_test_token", clock = { now: () => NOW } } = {},
) {
  const http = createHttpClient();
  const lines: LogLine[] = [];
  const writer = (level: string) => (fields: Readonly<Record<string, unknown>>, message: string) => {
    lines.push({ level, fields, message });
  };
  const { flights, flightServicing, stays, stayBookings, webhooks } = createDuffel({
    baseUrl,
    token,
    sandbox: true,
    sourceLevel: "embedded",
    clock,
    log: { info: writer("info"), warn: writer("warn"), error: writer("error") },
    http,
    timeouts: { retryDelayMs: 0, ...timeouts },
  });
  return { flights, flightServicing, stays, stayBookings, webhooks, http, lines };
}
