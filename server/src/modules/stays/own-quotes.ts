import { Failure } from "../../domain/errors.ts";
import type { Environment } from "../../ports/identity.ts";
import type { CallOptions } from "../../ports/supplier/flights.ts";
import type { StayBookings, StayQuote } from "../../ports/supplier/stay-bookings.ts";
import type { NegotiatedRates } from "./store-negotiated-rates.ts";

interface Owner {
  tenantId: string;
  environment: Environment;
}

interface QuotePorts<Method extends "quoteStay" | "getQuote"> {
  stayBookings: Pick<StayBookings, Method>;
  negotiatedRates: Pick<NegotiatedRates, "isForeign">;
}

/** Quotes a rate again. Another tenant's negotiated rate is not found. */
export function quoteOwnRate(
  { stayBookings, negotiatedRates }: QuotePorts<"quoteStay">,
  owner: Owner,
  rateId: string,
  options: CallOptions = {},
): Promise<StayQuote> {
  return unlessForeign(negotiatedRates, owner, "rate_not_found", () => stayBookings.quoteStay(rateId, options));
}

/** Returns the original quote. One for another tenant's negotiated rate is not found. */
export function getOwnQuote(
  { stayBookings, negotiatedRates }: QuotePorts<"getQuote">,
  owner: Owner,
  quoteId: string,
): Promise<StayQuote> {
  return unlessForeign(negotiatedRates, owner, "quote_not_found", () => stayBookings.getQuote(quoteId));
}

const NOT_FOUND = {
  rate_not_found: "The rate does not exist. Search again and use a rate id from the result.",
  quote_not_found: "The quote does not exist. Call quote_stay again.",
} as const;

async function unlessForeign(
  negotiatedRates: Pick<NegotiatedRates, "isForeign">,
  { tenantId, environment }: Owner,
  notFound: keyof typeof NOT_FOUND,
  ask: () => Promise<StayQuote>,
): Promise<StayQuote> {
  // The same text for an unknown one and another tenant's.
  const failure = (cause?: unknown) =>
    new Failure(notFound, { detail: NOT_FOUND[notFound], ...(cause === undefined ? {} : { cause }) });
  let quote: StayQuote;
  try {
    quote = await ask();
  } catch (error) {
    throw error instanceof Failure && error.code === notFound ? failure(error.cause) : error;
  }
  const { negotiatedRateId } = quote;
  if (negotiatedRateId !== null && (await negotiatedRates.isForeign(environment, negotiatedRateId, tenantId))) {
    throw failure();
  }
  return quote;
}
