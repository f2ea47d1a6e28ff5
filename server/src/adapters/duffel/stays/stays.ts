import { z } from "zod";
import { Failure } from "../../../domain/errors.ts";
import type { Provenance } from "../../../domain/schemas.ts";
import type { Log } from "../../../ports/log.ts";
import type { CallOptions } from "../../../ports/supplier/flights.ts";
import type { Accommodation, StaySearch, Stays } from "../../../ports/supplier/stays.ts";
import type { DuffelClient } from "../client.ts";
import { failure } from "../errors.ts";
import { outstandingFirst, rankStays, toAccommodation, WireStay, WireStayWithRates } from "./map-stays.ts";
import type { createSandboxPhotos } from "./sandbox-photos.ts";

export interface StaysOptions {
  client: DuffelClient;
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

const SearchAnswer = z.object({ results: z.array(z.unknown()) });

export function createStays(options: StaysOptions): Stays {
  const { client, log, sandbox, provenance } = options;

  function understoodStays(results: readonly unknown[]): WireStay[] {
    const parsed = results.map((result) => WireStay.safeParse(result));
    const good = parsed.flatMap((result) => (result.success ? [result.data] : []));
    const bad = parsed.flatMap((result) => (result.success ? [] : [result.error]));
    if (bad.length > 0) log.warn({ left: bad.length, of: results.length }, "stays that cannot be read were left out");
    if (good.length === 0 && bad.length > 0) throw failure("provider_unavailable", bad[0]);
    return good;
  }

  async function fetchRates(stay: WireStay, signal: AbortSignal | undefined): Promise<Accommodation | undefined> {
    const path = `/stays/search_results/${encodeURIComponent(stay.id)}/actions/fetch_all_rates`;
    const schema = WireStayWithRates;
    // Requesting rates books nothing, so it may be repeated although it is a POST.
    const found = toAccommodation(await client.read({ subject: "stay", schema, method: "POST", path, signal }));
    if (found === undefined || options.photos === undefined) return found;
    return { ...found, photos: found.photos.map(options.photos.publish) };
  }

  /** Fetches rates in order until `limit` places have some; a place without rates makes room for the next. */
  async function firstWithRates(
    ranked: readonly WireStay[],
    limit: number,
    signal: AbortSignal | undefined,
  ): Promise<Accommodation[]> {
    const found: Accommodation[] = [];
    let lastFailure: Failure | undefined;
    for (let next = 0; next < ranked.length && found.length < limit; ) {
      const batch = ranked.slice(next, next + Math.min(RATES_AT_ONCE, limit - found.length));
      next += batch.length;
      const outcomes = await Promise.allSettled(batch.map((stay) => fetchRates(stay, signal)));
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
      const { negotiatedRateIds = [] } = query;
      const answer = await client.read({
        subject: negotiatedRateIds.length === 0 ? "stay" : "negotiated_search",
        schema: SearchAnswer,
        method: "POST",
        path: "/stays/search",
        data: {
          rooms: query.rooms,
          guests: toGuests(query),
          check_in_date: query.checkInDate,
          check_out_date: query.checkOutDate,
          location: {
            radius: query.radiusKilometers,
            geographic_coordinates: { latitude: query.latitude, longitude: query.longitude },
          },
          ...(negotiatedRateIds.length === 0 ? {} : { negotiated_rate_ids: negotiatedRateIds }),
        },
        timeoutMilliseconds: options.searchTimeoutMilliseconds,
        signal: call.signal,
      });
      const ranked = rankStays(understoodStays(answer.results));
      const found = await firstWithRates(outstandingFirst(ranked, query), limit, call.signal);
      const rank = new Map(ranked.map(({ id }, index) => [id, index]));
      const accommodations = found.sort(
        (left, right) => (rank.get(left.searchResultId) ?? 0) - (rank.get(right.searchResultId) ?? 0),
      );
      return { accommodations, considered: ranked.length };
    },
  };
}
