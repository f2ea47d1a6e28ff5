import { vi } from "vitest";
import { createDuffel, type DuffelTimeouts } from "../../src/adapters/duffel/index.ts";
import { createHttpClient } from "../../src/platform/http-client/http-client.ts";
import type { Threads } from "../../src/ports/threads.ts";
import { inPlaceThreads } from "./in-place-threads.ts";
import { type Script, startScriptedServer } from "./scripted-server.ts";

interface LogLine {
  level: string;
  fields: Readonly<Record<string, unknown>>;
  message: string;
}

export const NOW = Temporal.Instant.from("2026-11-20T10:00:00Z");

/** The real adapter and client against a scripted supplier. `await using` closes both. */
export async function startDuffel(
  script: Script,
  timeouts: Partial<DuffelTimeouts> = {},
  threads: Threads = inPlaceThreads,
) {
  const supplier = await startScriptedServer(script);
  const adapter = duffelAt(supplier.url, timeouts, { threads });
  return {
    ...adapter,
    requests: supplier.requests,
    async [Symbol.asyncDispose]() {
      adapter.http.close();
      await supplier.close();
    },
  };
}

/** Longer than every time-out of the adapter. */
const PATIENCE_MILLISECONDS = 600_000;

/** A supplier that never answers: time stands still until it has been asked, and then everybody's patience is over. */
export async function startSilentDuffel() {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  const duffel = await startDuffel(() => {
    resolve();
    return "hang";
  });
  return {
    ...duffel,
    async giveUp(calling: Promise<unknown>): Promise<unknown> {
      await Promise.race([asked, calling]);
      vi.advanceTimersByTime(PATIENCE_MILLISECONDS);
      return await calling;
    },
    async [Symbol.asyncDispose]() {
      vi.useRealTimers();
      await duffel[Symbol.asyncDispose]();
    },
  };
}

export function duffelAt(
  baseUrl: string,
  timeouts: Partial<DuffelTimeouts> = {},
  { token = "duffel_test_token", clock = { now: () => NOW }, threads = inPlaceThreads } = {},
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
    threads,
    timeouts: { retryDelayMilliseconds: 0, ...timeouts },
  });
  return { flights, flightServicing, stays, stayBookings, webhooks, http, lines };
}
