import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { ApiError, api } from "./api.ts";

interface Events {
  events: readonly { type: string }[];
  cursor: string;
}

/** Lists that change with events of a kind. */
const READ_AGAIN: Readonly<Record<string, readonly string[]>> = {
  order: ["orders", "movements", "treasury", "trips"],
  trip: ["trips", "treasury", "movements"],
  booking: ["orders", "runs"],
  run: ["runs", "trips"],
  approval: ["approvals", "runs"],
  invoice: ["invoices"],
  transfer: ["treasury", "movements"],
};

const WAIT_SECONDS = 20;
const PAUSE_MILLISECONDS = 5_000;

/** Follows the tenant's events while the tab is visible, and reads what has changed again. A hidden tab asks nothing. */
export function useLiveUpdates(): void {
  const queries = useQueryClient();
  useEffect(() => {
    let following: AbortController | undefined;
    const change = () => {
      if (document.visibilityState === "hidden") {
        following?.abort();
        following = undefined;
      } else if (following === undefined) {
        following = new AbortController();
        void follow(queries, following.signal);
      }
    };
    change();
    document.addEventListener("visibilitychange", change);
    return () => {
      document.removeEventListener("visibilitychange", change);
      following?.abort();
    };
  }, [queries]);
}

const pause = () => new Promise((done) => setTimeout(done, PAUSE_MILLISECONDS));

async function follow(queries: QueryClient, signal: AbortSignal): Promise<void> {
  let after = "end";
  while (!signal.aborted) {
    try {
      const asked = Date.now();
      const wait = after === "end" ? 0 : WAIT_SECONDS;
      const { events, cursor } = await api<Events>(`/api/events?after=${encodeURIComponent(after)}&wait=${wait}`, {
        signal,
      });
      // Too many wait already: the answer came at once.
      if (after !== "end" && events.length === 0 && Date.now() - asked < PAUSE_MILLISECONDS) await pause();
      after = cursor;
      const kinds = new Set(events.map(({ type }) => type.split(".")[0] ?? ""));
      const keys = new Set([...kinds].flatMap((kind) => READ_AGAIN[kind] ?? []));
      for (const key of keys) void queries.invalidateQueries({ queryKey: [key] });
    } catch (error) {
      if (signal.aborted || (error instanceof ApiError && error.status < 500 && error.status !== 429)) return;
      await pause();
    }
  }
}
