import type { z } from "zod";
import { Failure } from "../../../domain/errors.ts";
import { newId } from "../../../domain/ids.ts";
import { supplierErrors } from "../../../domain/travel/supplier-errors.ts";
import type { Caller, CallInfo } from "../../../kernel/contracts/tool.ts";
import type {
  AirlineCredit,
  FlightSearch,
  LoyaltyAccount,
  OfferDigest,
  PrivateFare,
} from "../../../ports/supplier/flights.ts";
import { keepsRecords, type SaleRates, saleRates } from "../../bookings/index.ts";
import {
  customerErrors,
  findOwnCredit,
  findOwnCustomer,
  type TravelerProfile,
  type Travelers,
} from "../../travelers/index.ts";
import type { Ports } from "../context.ts";
import { hasPrivateInputs, keepPrivate } from "../offers/private-offers.ts";
import type { SearchAsk, SearchDigest } from "./digest-search.ts";
import { explainNoOffers } from "./explain-no-offers.ts";
import type { SearchFlightsInput } from "./search-input.ts";
import { searchPassengers } from "./search-passengers.ts";
import { seeSearch } from "./see-offers.ts";

export type SearchPorts = Pick<Ports, "flights" | "travelers" | "stores" | "clock" | "random" | "fx">;

/** `ages` are the passengers' ages, if known. */
export type SearchQuery = z.output<typeof SearchFlightsInput> & { ages?: readonly number[] | undefined };

export const searchErrors = {
  ...supplierErrors,
  no_offers: "The supplier has no flights for this route and date. Try nearby dates or airports.",
  ...customerErrors,
  credit_not_found: "You have no such airline credit.",
  traveler_incomplete: "The traveler's profile lacks the listed fields. Use save_traveler to add them.",
} as const;

interface SearchDone<View> {
  found: SearchDigest<View>;
  view: View;
  rates: SaleRates;
  /** Null if the caller has no key, so that nothing is stored. */
  searchId: string | null;
  /** The usable ones of the query. */
  credits: readonly AirlineCredit[];
}

/**
 * Asks the supplier, and stores the results before anything is shown. `ask` is what the view of the offers needs. Throws a
 * Failure with the codes of `searchErrors`.
 */
export async function runSearch<Ask extends object, View>(
  query: SearchQuery,
  ports: SearchPorts,
  { caller, call }: { caller: Caller; call: CallInfo },
  { digest, ask }: { digest: OfferDigest<SearchAsk & Ask, SearchDigest<View>>; ask: Ask },
): Promise<SearchDone<View>> {
  const { flights, travelers, stores, clock, random, fx } = ports;
  const { cabinClass } = query;
  const traveler = await findTraveler(query, ports, caller);
  const { credits, notApplied } = await findCredits(query, ports, caller);
  call.progress("Requesting offers from the supplier");
  const loyaltyAccounts = query.loyaltyProgrammeAccounts ?? [];
  const { passengers, ages, leisureFareTypes = [] } = query;
  const wanted: FlightSearch = {
    origin: query.origin.toUpperCase(),
    destination: query.destination.toUpperCase(),
    departureDate: query.departureDate,
    ...(query.returnDate === undefined ? {} : { returnDate: query.returnDate }),
    cabinClass,
    passengers: searchPassengers(
      { passengers, ages, leisureFareTypes, loyaltyAccounts },
      await recognizeTravelers(travelers, caller, loyaltyAccounts, traveler),
    ),
    privateFares: toPrivateFares(query.privateFares ?? {}),
    airlineCreditIds: credits.map(({ id }) => id),
  };
  const isPrivate = hasPrivateInputs(query);
  const options = { signal: call.signal, owner: caller.tenantId };
  const asked = { ...ask, cabinClass, notApplied, isKept: keepsRecords(caller), isPrivate };
  const found = await flights.digestOffers(wanted, digest, asked, options);
  const { view, packed, expiresAt, privateIds } = found;
  call.progress(`Choosing among ${found.considered} offers`);
  if (view === undefined || expiresAt === undefined) {
    const { detail, emptiedBy } = await explainNoOffers(flights, wanted, options);
    throw new Failure("no_offers", { detail, extra: { emptiedBy } });
  }
  const expireAt = Temporal.Instant.from(expiresAt);
  if (isPrivate) {
    await keepPrivate(stores.privateOffers, caller, { ids: privateIds, expireAt }, loyaltyAccounts);
  }
  const rates = await saleRates({ fx, clock }, caller.environment, found.currencies);
  if (packed === undefined) return { found, view, rates, credits, searchId: null };
  const searchId = newId("sea_", clock.now().epochMilliseconds, random);
  const kept = stores.foundSearches.prepare(caller, searchId, packed, expireAt);
  await seeSearch({ seenOffers: stores.seenOffers, clock, random }, caller, found.seen, rates, searchId, kept);
  return { found, view, rates, credits, searchId };
}

async function findTraveler(query: SearchQuery, { travelers }: SearchPorts, caller: Caller) {
  const userId = await chooseTraveler(query, travelers, caller);
  if (userId === undefined) return undefined;
  const traveler = await travelers.get(caller.tenantId, userId, caller.environment);
  const fields = (["givenName", "familyName"] as const).filter((field) => traveler?.[field] === undefined);
  if (fields.length === 0) return traveler;
  throw new Failure("traveler_incomplete", {
    detail: searchErrors.traveler_incomplete,
    extra: { travelers: [{ userId, fields }] },
  });
}

async function chooseTraveler(
  { customerUserId, linkSessionTraveler }: SearchQuery,
  travelers: SearchPorts["travelers"],
  caller: Caller,
): Promise<string | undefined> {
  if (customerUserId === undefined) return linkSessionTraveler ? caller.travelerId : undefined;
  const userId = await findOwnCustomer(travelers, caller, customerUserId);
  if (userId !== undefined) return userId;
  throw new Failure("customer_not_found", { detail: searchErrors.customer_not_found, extra: { customerUserId } });
}

async function findCredits(query: SearchQuery, { flights, travelers }: SearchPorts, caller: Caller) {
  const credits: AirlineCredit[] = [];
  const notApplied = [];
  for (const value of new Set(query.airlineCreditIds)) {
    const credit = await findOwnCredit({ flights, travelers }, caller, value);
    if (credit === undefined) {
      throw new Failure("credit_not_found", {
        detail: searchErrors.credit_not_found,
        extra: { airlineCreditId: value },
      });
    }
    if (credit.usable) credits.push(credit);
    else notApplied.push({ input: "airlineCreditIds", value, reason: "spent, expired or invalidated" });
  }
  return { credits, notApplied };
}

interface PrivateFareInput {
  corporate_code?: string | undefined;
  tour_code?: string | undefined;
  tracking_reference?: string | undefined;
  account_number?: string | undefined;
}

/** Maps the interface's field names to the port's; airline codes become upper case. */
function toPrivateFares(input: Readonly<Record<string, readonly PrivateFareInput[]>>): Record<string, PrivateFare[]> {
  const fares: Record<string, PrivateFare[]> = {};
  for (const [airline, entries] of Object.entries(input)) {
    const code = airline.toUpperCase();
    fares[code] = [...(fares[code] ?? []), ...entries.map(toPrivateFare)];
  }
  return fares;
}

function toPrivateFare(input: PrivateFareInput): PrivateFare {
  return {
    ...(input.corporate_code === undefined ? {} : { corporateCode: input.corporate_code }),
    ...(input.tour_code === undefined ? {} : { tourCode: input.tour_code }),
    ...(input.tracking_reference === undefined ? {} : { trackingReference: input.tracking_reference }),
    ...(input.account_number === undefined ? {} : { accountNumber: input.account_number }),
  };
}

/**
 * Identifies the passengers of a search, by passenger. Besides the first one, who may be named, a passenger is the
 * tenant's traveler whose profile has one of the loyalty accounts given for the passenger: suppliers accept an account
 * only with a name.
 */
async function recognizeTravelers(
  travelers: Travelers,
  { tenantId, environment }: Caller,
  accounts: readonly (readonly LoyaltyAccount[])[],
  first: TravelerProfile | undefined,
): Promise<(TravelerProfile | undefined)[]> {
  const found: (TravelerProfile | undefined)[] = [];
  for (const [index, given] of accounts.entries()) {
    const isNamed = index === 0 && first !== undefined;
    found.push(isNamed ? first : await travelers.findByLoyaltyAccounts(tenantId, environment, given));
  }
  return accounts.length === 0 ? [first] : found;
}
