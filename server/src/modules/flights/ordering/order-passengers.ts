import { toCountryAlpha2 } from "../../../domain/countries.ts";
import { Failure } from "../../../domain/errors.ts";
import type { FlightOffer, LoyaltyAccount, OrderPassenger } from "../../../ports/supplier/flights.ts";
import type { Passport, TravelerProfile } from "../../travelers/index.ts";
import { mergeAccounts } from "../searching/search-passengers.ts";

/** A traveler of a booking: the owner of the profile, and the id by which the caller named the person. */
export interface Traveler {
  userId: string;
  /** Set if the caller named the traveler by it. */
  customerUserId?: string;
  profile: TravelerProfile | undefined;
}

const NEEDED = ["givenName", "familyName", "bornOn", "title", "gender", "email", "phoneNumber"] as const;

/** Profile fields required by the airline that are missing; `passports` if the offer asks for one. */
export function missingFields(traveler: Traveler, offer: FlightOffer): string[] {
  const fields: string[] = NEEDED.filter((field) => isBlank(traveler.profile?.[field]));
  if (offer.identityDocumentsRequired && usablePassport(traveler.profile, offer) === undefined)
    fields.push("passports");
  return fields;
}

/** The only kind of document in a profile. */
const PASSPORT = "passport";

/** Throws a Failure if the airline requires only other kinds of documents, as the traveler could not add them. */
export function requirePassportsOnly({ identityDocumentsRequired, identityDocumentTypes: types }: FlightOffer): void {
  if (!identityDocumentsRequired || types.length === 0 || types.includes(PASSPORT)) return;
  throw new Failure("documents_not_supported", {
    detail:
      "The airline requires an identity document for each passenger, of a kind listed in documentTypes, but this service supports only passports. Nothing was booked; choose another offer.",
    extra: { documentTypes: [...types] },
  });
}

/** Undefined if a required field is missing. `searchedAccounts` are those given for this passenger in the offer's search. */
export function toOrderPassenger(
  offerPassengerId: string,
  traveler: Traveler,
  offer: FlightOffer,
  {
    customerUserId,
    searchedAccounts,
    infantPassengerId,
  }: {
    customerUserId: string | undefined;
    searchedAccounts: readonly LoyaltyAccount[];
    infantPassengerId: string | undefined;
  },
): OrderPassenger | undefined {
  const { givenName, familyName, bornOn, title, gender, email, phoneNumber } = traveler.profile ?? {};
  if (!givenName || !familyName || !bornOn || !title || !gender || !email || !phoneNumber) return undefined;
  const passport = offer.identityDocumentsRequired ? usablePassport(traveler.profile, offer) : undefined;
  if (offer.identityDocumentsRequired && passport === undefined) return undefined;
  return {
    id: offerPassengerId,
    title,
    gender,
    givenName,
    familyName,
    bornOn,
    email,
    phoneNumber,
    ...(customerUserId === undefined ? {} : { customerUserId }),
    ...(infantPassengerId === undefined ? {} : { infantPassengerId }),
    loyaltyAccounts: mergeAccounts(searchedAccounts, traveler.profile?.loyaltyProgrammeAccounts ?? []),
    ...(passport === undefined ? {} : { identityDocument: passport }),
  };
}

/** The passport that is valid longest, if it outlasts the journey. */
function usablePassport(
  profile: TravelerProfile | undefined,
  offer: FlightOffer,
): OrderPassenger["identityDocument"] | undefined {
  const lastDay = offer.slices.at(-1)?.segments.at(-1)?.arrivingAt.slice(0, 10) ?? "";
  const [longest] = (profile?.passports ?? [])
    .flatMap((passport: Passport) => {
      const issuingCountryIso2 = toCountryAlpha2(passport.nationality);
      return issuingCountryIso2 === undefined ? [] : [{ ...passport, issuingCountryIso2 }];
    })
    .filter(({ expiresOn }) => expiresOn >= lastDay)
    .sort((left, right) => (left.expiresOn < right.expiresOn ? 1 : -1));
  if (longest === undefined) return undefined;
  return { number: longest.number, issuingCountryIso2: longest.issuingCountryIso2, expiresOn: longest.expiresOn };
}

function isBlank(value: string | undefined): boolean {
  return value === undefined || value.trim() === "";
}
