import { Failure } from "../../../domain/errors.ts";
import type { Provenance } from "../../../domain/schemas.ts";
import type { Log } from "../../../ports/log.ts";
import type { CallOptions } from "../../../ports/supplier/flights.ts";
import type { Accommodation, StaySearch, Stays } from "../../../ports/supplier/stays.ts";
import type { Threads } from "../../../ports/threads.ts";
import type { DuffelClient } from "../client.ts";
import { failure } from "../errors.ts";
import { readLarge } from "../read-large.ts";
import { task as readRates } from "./read-rates.ts";
import { task as readStays } from "./read-stays.ts";
import type { createSandboxPhotos } from "./sandbox-photos.ts";

export interface StaysOptions {
  client: DuffelClient;
  threads: Threads;
  log: Log;
  sandbox: boolean;
  provenance: () => Provenance;
  searchTimeoutMilliseconds: number;
  /** Undefined: the supplier's pictures are public. */
  photos: ReturnType<typeof createSandboxPhotos> | undefined;
}

/** The number of places whose rates are fetched at a time. */
const RATES_AT_ONCE = 4;

function toGuests({ guests, childAges = [] }: StaySearch) {
  const adults = Array.from({ length: guests - childAges.length }, () => ({ type: "adult" }));
  return [...adults, ...childAges.map((age) => ({ type: "child", age }))];
}

export function createStays(options: StaysOptions): Stays {
  const { client, threads, log, sandbox, provenance } = options;
  threads.prepare(readStays);
  threads.prepare(readRates);

  async function fetchRates(id: string, { signal, owner }: CallOptions): Promise<Accommodation | undefined> {
    const path = `/stays/search_results/${encodeURIComponent(id)}/actions/fetch_all_rates`;
    const found = await readLarge(client, threads, {
      // Requesting rates books nothing, so it may be repeated although it is a POST.
      request: { subject: "stay", method: "POST", path, signal },
      task: readRates,
      makeInput: (body) => ({ body }),
      owner,
    });
    if (found === undefined || options.photos === undefined) return found;
    return { ...found, photos: found.photos.map(options.photos.publish) };
  }

  /** Fetches rates in order until `limit` places have some; a place without rates makes room for the next. */
  async function firstWithRates(ids: readonly string[], limit: number, call: CallOptions): Promise<Accommodation[]> {
    const found: Accommodation[] = [];
    let lastFailure: Failure | undefined;
    for (let next = 0; next < ids.length && found.length < limit; ) {
      const batch = ids.slice(next, next + Math.min(RATES_AT_ONCE, limit - found.length));
      next += batch.length;
      const outcomes = await Promise.allSettled(batch.map((id) => fetchRates(id, call)));
      for (const outcome of outcomes) {
        if (outcome.status === "fulfilled") {
          if (outcome.value !== undefined) found.push(outcome.value);
        } else if (outcome.reason instanceof Failure) {
          lastFailure = outcome.reason;
        } else {
          throw outcome.reason;
        }
      }
      // After a time-out, the remaining places are not asked.
      if (lastFailure?.code === "provider_timeout") break;
    }
    if (found.length === 0 && lastFailure !== undefined) throw lastFailure;
    return found;
  }

  return {
    provenance,
    sandbox,
    readPhoto: options.photos?.readPhoto ?? (async () => undefined),

    async searchAccommodations(query: StaySearch, limit: number, call: CallOptions = {}) {
      const { latitude, longitude, negotiatedRateIds = [] } = query;
      const request = {
        subject: negotiatedRateIds.length === 0 ? ("stay" as const) : ("negotiated_search" as const),
        method: "POST" as const,
        path: "/stays/search",
        data: {
          rooms: query.rooms,
          guests: toGuests(query),
          check_in_date: query.checkInDate,
          check_out_date: query.checkOutDate,
          location: {
            radius: query.radiusKilometers,
            geographic_coordinates: { latitude, longitude },
          },
          ...(negotiatedRateIds.length === 0 ? {} : { negotiated_rate_ids: negotiatedRateIds }),
        },
        timeoutMilliseconds: options.searchTimeoutMilliseconds,
        signal: call.signal,
      };
      const { ranked, outstandingFirst, left, issues } = await readLarge(client, threads, {
        request,
        task: readStays,
        makeInput: (body) => ({ body, center: { latitude, longitude } }),
        owner: call.owner,
      });
      if (left > 0) {
        const fields = { left, of: left + ranked.length, issues };
        log.warn(fields, "stays that cannot be read were left out");
        if (ranked.length === 0) throw failure("provider_unavailable", new Error(issues.join("; ")));
      }
      const found = await firstWithRates(outstandingFirst, limit, call);
      const rank = new Map(ranked.map(({ searchResultId }, index) => [searchResultId, index]));
      const accommodations = found.sort(
        (left, right) => (rank.get(left.searchResultId) ?? 0) - (rank.get(right.searchResultId) ?? 0),
      );
      return { accommodations, found: ranked };
    },

    async readAccommodations(searchResultIds, limit, call = {}) {
      return await firstWithRates(searchResultIds, limit, call);
    },
  };
}
