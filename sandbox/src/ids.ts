import { base62Digit, base62Value, randomCode } from "./hash.ts";

const CORE_LENGTH = 16;

/** Identifiers of things that happen: a prefix, four zeros and random characters, as the supplier forms them. */
export function newId(prefix: string): string {
  return `${prefix}_0000${randomCode(18, prefix)}`;
}

/**
 * Offers and their parts are computed, not stored. Their identifiers carry the core of the offer request they came from
 * and their place in it, so that an offer can be worked out again from its identifier alone.
 */
export function newRequestCore(): string {
  return randomCode(CORE_LENGTH, "offer request");
}

export function derivedId(prefix: string, core: string, ...places: readonly number[]): string {
  const digits = places.map((place) => base62Digit(Math.floor(place / 62)) + base62Digit(place % 62)).join("");
  return `${prefix}_0000${core}${digits}`;
}

export function readDerivedId(prefix: string, id: string): { core: string; place: number } | undefined {
  const match = new RegExp(`^${prefix}_0000([0-9A-Za-z]{${CORE_LENGTH}})([0-9A-Za-z]{2})`, "u").exec(id);
  if (match?.[1] === undefined || match[2] === undefined) return undefined;
  return { core: match[1], place: base62Value(match[2]) };
}

const PNR_ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/** Booking references begin with ZZ, as nothing in the live world should be mistaken for them. */
export function newBookingReference(): string {
  const characters = [...randomCode(4, "booking reference")].map((digit) =>
    PNR_ALPHABET.charAt(base62Value(digit) % PNR_ALPHABET.length),
  );
  return `ZZ${characters.join("")}`;
}
