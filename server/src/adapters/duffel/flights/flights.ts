import { z } from "zod";
import { Failure } from "../../../domain/errors.ts";
import type { Provenance } from "../../../domain/schemas.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Log } from "../../../ports/log.ts";
import type { CallOptions, FlightSearch, Flights, OfferDigest } from "../../../ports/supplier/flights.ts";
import type { Threads } from "../../../ports/threads.ts";
import type { DuffelClient } from "../client.ts";
import { failure } from "../errors.ts";
import { readLarge } from "../read-large.ts";
import { toBags } from "../servicing/map-ancillaries.ts";
import { isSupplierId } from "../wire.ts";
import { task as allOffers } from "./all-offers.ts";
import { createCustomers } from "./customers.ts";
import { toOffer, WireOffer } from "./map-offers.ts";
import { toAirports, toCredit, toOrder, WireCredit, WireOrder } from "./map-orders.ts";
import { toOfferRequest } from "./map-search.ts";
import { createOrders } from "./orders.ts";
import { task as readTask } from "./read-offers.ts";

export interface FlightsOptions {
  client: DuffelClient;
  threads: Threads;
  clock: Clock;
  log: Log;
  sandbox: boolean;
  provenance: () => Provenance;
  quietMilliseconds: number;
  /** How long the supplier may collect offers; our own wait is longer by the margin. */
  searchTimeoutMilliseconds: number;
  searchMarginMilliseconds: number;
}

export function createFlights(options: FlightsOptions): Flights {
  const { client, threads, clock, log, sandbox, provenance } = options;
  threads.prepare(readTask);

  /** Leaves out offers that lack required fields; if none is left, the whole answer is malformed. */
  async function digestOffers<Ask, Digest>(
    query: FlightSearch,
    digest: OfferDigest<Ask, Digest>,
    ask: Ask,
    { signal, owner }: CallOptions = {},
  ): Promise<Digest> {
    const { data, notApplied } = toOfferRequest(query);
    const read = await readLarge(client, threads, {
      request: {
        subject: "search",
        method: "POST",
        path: "/air/offer_requests",
        query: { return_offers: "true", supplier_timeout: options.searchTimeoutMilliseconds },
        data,
        timeoutMilliseconds: options.searchTimeoutMilliseconds + options.searchMarginMilliseconds,
        signal,
      },
      task: { module: readTask.module, run: readTask.run<Ask, Digest> },
      makeInput: (body) => ({
        body,
        about: { notApplied, provenance: provenance(), sandbox },
        digest: digest.module,
        ask,
      }),
      owner,
    });
    const { left, of, issues } = read;
    if (left > 0) log.warn({ left, of, issues }, "offers of the supplier that cannot be read were left out");
    if (read.digest === undefined) throw failure("provider_unavailable", new Error(issues.join("; ")));
    return read.digest;
  }

  return {
    provenance,
    sandbox,
    quietMilliseconds: options.quietMilliseconds,
    searchOffers: (query, call) => digestOffers(query, allOffers, undefined, call),
    digestOffers,

    async getOffer(offerId, call = {}) {
      if (!isSupplierId(offerId)) throw failure("offer_not_found");
      const offer = await client.read({
        subject: "offer",
        schema: WireOffer,
        path: `/air/offers/${encodeURIComponent(offerId)}`,
        signal: call.signal,
      });
      return toOffer(offer);
    },

    ...createOrders(client, clock),
    ...createOrderBags(client, log),
    ...createCustomers(client),

    async getAirlineCredit(creditId) {
      if (!isSupplierId(creditId)) return undefined;
      try {
        const path = `/air/airline_credits/${encodeURIComponent(creditId)}`;
        return toCredit(await client.read({ subject: "credit", schema: WireCredit, path }), clock.now());
      } catch (error) {
        if (error instanceof Failure && error.code === "credit_not_applicable") return undefined;
        throw error;
      }
    },

    async findAirports(query, call = {}) {
      const near = "text" in query ? undefined : query;
      const { data, date } = await client.readDated({
        subject: "airport",
        schema: z.array(z.unknown()),
        path: "/places/suggestions",
        query:
          "text" in query
            ? { query: query.text }
            : { lat: query.latitude, lng: query.longitude, rad: Math.round(query.radiusMeters) },
        signal: call.signal,
      });
      return { airports: toAirports(data, near), asOf: date?.toString() };
    },
  };
}

/** Bags added to a paid order: the supplier's order services, whose ids differ from the offer's. */
function createOrderBags(client: DuffelClient, log: Log): Pick<Flights, "listOrderBags" | "addBags"> {
  return {
    async listOrderBags(orderId, { signal } = {}) {
      const path = `/air/orders/${encodeURIComponent(orderId)}/available_services`;
      const listed = await client.read({ subject: "order", schema: z.array(z.unknown()), path, signal });
      const { bags, unread } = toBags(listed);
      if (unread > 0) log.warn({ left: unread }, "services of the supplier that cannot be read were left out");
      return bags;
    },

    async addBags(orderId, bags, { amount, currency }) {
      const order = await client.commit({
        subject: "service_addition",
        schema: WireOrder,
        path: `/air/orders/${encodeURIComponent(orderId)}/services`,
        data: {
          payment: { type: "balance", amount, currency },
          add_services: bags.map(({ id, quantity }) => ({ id, quantity })),
        },
      });
      return toOrder(order, null);
    },
  };
}
