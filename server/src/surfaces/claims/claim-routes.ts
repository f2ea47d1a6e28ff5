import type { z } from "zod";
import { Failure, type ServiceCode } from "../../domain/errors.ts";
import { formatDecimal } from "../../domain/money.ts";
import type { Hex } from "../../domain/tokens.ts";
import { validateArguments } from "../../kernel/validate.ts";
import { type ClaimPorts, claimTrip, openClaim } from "../../modules/escrow/claim-trip.ts";
import { escrowFailure } from "../../modules/escrow/errors.ts";
import { nameText, summaryText } from "../../modules/escrow/guest-text.ts";
import { readHash } from "../../modules/escrow/input.ts";
import { MOST_WRONG_CODES, type Trip } from "../../modules/escrow/trips.ts";
import { addressOf } from "../../modules/treasury/input.ts";
import type { Environment } from "../../ports/identity.ts";
import { addressGroup } from "../http/client-address.ts";
import type { Route, Routes } from "../http/hosts.ts";
import type { HttpRequest } from "../http/http.ts";
import { readJsonObject } from "../http/json-body.ts";
import { type Operation, routerPath } from "../http/operation.ts";
import type { RateLimiter } from "../http/rate-limiter.ts";
import type { SignedAnswers } from "../http/signed-exchange.ts";
import {
  ClaimBody,
  Claimed,
  type ClaimView,
  claimOperation,
  ViewBody,
  viewClaimOperation,
} from "./claim-operations.ts";

export interface ClaimRouteOptions {
  answerSigned: SignedAnswers;
  /** Undefined: this network is switched off. */
  portsFor(environment: Environment): ClaimPorts | undefined;
  /** Counts every request, by address. */
  perAddress: RateLimiter;
}

const MAXIMUM_BODY_BYTES = 4_096;
/** The page asks again by itself: shorter than proxies keep a request open. */
const WAIT_MILLISECONDS = 10_000;
const NETWORKS = ["sandbox", "production"] as const;

/** For guests, who have no key: the secret of the link lets them in. Nothing is metered. */
export function claimRoutes({ answerSigned, portsFor, perAddress }: ClaimRouteOptions): Routes {
  function route(operation: Operation, work: (request: HttpRequest, tripId: Hex) => Promise<unknown>): Route {
    return {
      method: operation.method,
      path: routerPath(operation),
      operation,
      handler: (request) =>
        answerSigned(request, async () => {
          const { allowed, retryAfterSeconds } = perAddress.take(addressGroup(request.remoteAddress));
          if (!allowed) throw new Failure("rate_limited", { detail: "Too many requests.", retryAfterSeconds });
          try {
            const value = await work(request, tripIdOf(request));
            const headers = { "content-type": "application/json; charset=utf-8" };
            return { status: 200, headers, body: JSON.stringify(value) };
          } catch (error) {
            throw toRouteFailure(error);
          }
        }),
    };
  }

  /** A trip's id follows from its chain, so that it is on one network only. */
  async function portsOf(tripId: Hex): Promise<ClaimPorts> {
    for (const network of NETWORKS) {
      const ports = portsFor(network);
      if (ports !== undefined && (await ports.stores.trips.get(network, tripId)) !== undefined) return ports;
    }
    throw escrowFailure("trip_not_found");
  }

  return [
    route(viewClaimOperation, async (request, tripId) => {
      const { linkSecret } = ViewBody.parse(validateArguments(ViewBody, await bodyOf(request)));
      const ports = await portsOf(tripId);
      return describe(await openClaim(ports, { tripId, linkSecret }), ports);
    }),
    route(claimOperation, async (request, tripId) => {
      const body = ClaimBody.parse(validateArguments(ClaimBody, await bodyOf(request)));
      const ports = await portsOf(tripId);
      const { result } = await claimTrip(ports, {
        ...body,
        tripId,
        guestWallet: addressOf(body.guestWallet),
        chainId: ports.chain.chainId,
        waitMs: WAIT_MILLISECONDS,
      });
      return Claimed.parse(result);
    }),
  ];
}

const bodyOf = (request: HttpRequest) => readJsonObject(request, MAXIMUM_BODY_BYTES);

function tripIdOf({ path }: HttpRequest): Hex {
  const tripId = readHash(path.split("/")[3] ?? "");
  if (tripId === undefined) throw escrowFailure("trip_not_found");
  return tripId;
}

/** What a guest may see; nothing of the tenant's, and nothing that follows from the code nonce. */
function describe(trip: Trip, { chain, clock }: ClaimPorts): z.output<typeof ClaimView> {
  const { details } = trip;
  return {
    tripId: trip.tripId,
    state: stateOf(trip, clock.now()),
    budgetUsdc: formatDecimal(trip.budget),
    expiresAt: trip.expiresAt.toString(),
    buyerName: nameText(details.buyerName) ?? null,
    guestName: nameText(details.guestName) ?? null,
    tripSummary: summaryText(details.tripSummary) ?? null,
    requiresCode: trip.requiresCode,
    codesLeft: Math.max(0, MOST_WRONG_CODES - trip.wrongCodes),
    guestWallet: trip.guestWallet ?? null,
    claimedAt: trip.claimedAt?.toString() ?? null,
    txHash: trip.transactions.findLast(({ step }) => step === "claim")?.transactionHash ?? null,
    chainId: chain.chainId,
    sandbox: trip.network === "sandbox",
  };
}

function stateOf(trip: Trip, now: Temporal.Instant): z.output<typeof ClaimView>["state"] {
  if (trip.guestWallet !== undefined) return "claimed";
  if (trip.state === "funding" || trip.state === "failed") return trip.state;
  if (trip.pending?.step === "claim") return "claiming";
  if (Temporal.Instant.compare(now, trip.expiresAt) >= 0) return "expired";
  if (trip.state === "closed") return "closed";
  return trip.wrongCodes >= MOST_WRONG_CODES ? "locked" : "open";
}

/** What codes of the escrow are on a route that is no tool. */
const routeCodes: Readonly<Record<string, ServiceCode>> = {
  trip_not_found: "not_found",
  claim_link_invalid: "not_found",
  trip_not_funded: "conflict",
  trip_expired: "conflict",
  trip_closed: "conflict",
  already_claimed: "conflict",
  claim_locked: "conflict",
  claim_code_required: "conflict",
  claim_code_wrong: "conflict",
  step_reverted: "conflict",
  trip_in_progress: "in_progress",
  step_in_progress: "in_progress",
  settlement_stopped: "unavailable",
  chain_not_available: "unavailable",
};
const RETRY_AFTER_SECONDS = 5;
const NOT_FOUND = "There is no trip with this id and this link. Use the guest link as it was received, all of it.";

function toRouteFailure(error: unknown): unknown {
  if (!(error instanceof Failure)) return error;
  const code = routeCodes[error.code];
  if (code === undefined) return error;
  return new Failure(code, {
    detail: code === "not_found" ? NOT_FOUND : error.message,
    // Who has not the secret learns nothing of the trip.
    extra: code === "not_found" ? {} : { ...error.extra, reason: error.code },
    ...(code === "in_progress" || code === "unavailable" ? { retryAfterSeconds: RETRY_AFTER_SECONDS } : {}),
    cause: error.cause,
  });
}
