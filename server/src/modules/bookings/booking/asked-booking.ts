import { keccak256, stringToHex } from "viem";
import { canonicalJson } from "../../../domain/canonical-json.ts";
import { Failure } from "../../../domain/errors.ts";
import type { Booking } from "./bookings.ts";

/** The request of a call. An earlier booking of the same offer or quote answers it only if all of this matches. */
export interface AskedBooking {
  kind: "flight" | "stay";
  /** The id of the offer or the quote. */
  offerId: string;
  /** In addition to the travelers: services, a credit, wishes. */
  particulars: object;
  /** The part that applies while the order is held; the rest comes with its payment. Defaults to all. */
  heldParticulars?: object;
  /** Whether the booking is for this call's travelers. Throws a Failure if the call names an unknown user. */
  isForSame(booking: Booking): Promise<boolean>;
  /** For a booking of an earlier release without a hash of its particulars: whether they can be the same. */
  mayBeSame(booking: Booking): boolean;
}

/** A salt per booking prevents guessing names and addresses from the hash. */
export function hashParticulars({ particulars }: Pick<AskedBooking, "particulars">, salt: string): string {
  return keccak256(stringToHex(canonicalJson({ ...particulars, salt })));
}

/** The guests' contact details; they do not distinguish bookings. */
export type Contact = Readonly<Record<string, string>>;

export const hashContact = (contact: Contact, salt: string): Contact =>
  Object.fromEntries(
    Object.entries(contact).map(([name, value]) => [name, hashParticulars({ particulars: { [name]: value } }, salt)]),
  );

/** The contact details in which a repeat differs from the booking. Undefined if the booking's are unknown. */
export function differingContact(
  { contactHashes, itinerarySalt }: Pick<Booking, "contactHashes" | "itinerarySalt">,
  contact: Contact,
): string[] | undefined {
  if (contactHashes === undefined) return undefined;
  const asked = hashContact(contact, itinerarySalt);
  return Object.keys(asked).filter((name) => asked[name] !== contactHashes[name]);
}

/** Replaces the hash after a traveler was erased: with the salt, dates of birth could be guessed from it. */
export const ERASED_PARTICULARS = "erased";

/** Undefined if the booking answers the call. */
export async function whyAnother(asked: AskedBooking, booking: Booking): Promise<Failure | undefined> {
  if (booking.particularsHash === ERASED_PARTICULARS) return alreadyBooked(asked, booking, "erased");
  if (!(await asked.isForSame(booking))) return alreadyBooked(asked, booking, "travelers");
  const { particularsHash, itinerarySalt } = booking;
  const isSame =
    particularsHash === undefined
      ? asked.mayBeSame(booking)
      : particularsHash === hashParticulars(asked, itinerarySalt);
  return isSame ? undefined : alreadyBooked(asked, booking, "particulars");
}

export async function requireSame(asked: AskedBooking, booking: Booking): Promise<void> {
  const failure = await whyAnother(asked, booking);
  if (failure !== undefined) throw failure;
}

/** The request of a call that would have held the order which this one pays for. */
export function asHeld({ heldParticulars, ...asked }: AskedBooking): AskedBooking {
  return { ...asked, particulars: heldParticulars ?? asked.particulars };
}

const NAMES = { flight: "offer", stay: "quote" } as const;
const DIFFERENCES = {
  flight: {
    travelers: "for other travelers",
    particulars: "with other services or another airline credit",
    erased: "for someone whose personal data has since been erased",
  },
  stay: {
    travelers: "for other guests",
    particulars:
      "with other dates of birth of the guests, other special requests, another loyalty account or other customer users",
    erased: "for someone whose personal data has since been erased",
  },
} as const;

function alreadyBooked(
  { kind, offerId }: AskedBooking,
  { id: bookingId, orderId, state, orderStatus }: Booking,
  differsIn: "travelers" | "particulars" | "erased",
): Failure {
  const name = NAMES[kind];
  const done = state === "on_hold" ? "held" : "booked";
  const isCancelled = orderStatus === "cancelled";
  const differs = DIFFERENCES[kind][differsIn];
  const order = orderId === undefined ? "its order is being made" : `as order ${orderId}; read_order shows it`;
  const how = isCancelled
    ? `was ${done} ${differs}, as order ${orderId}, and is cancelled`
    : `is ${done} already ${differs}, ${order}`;
  // The erased booking's request is gone, so no call can be recognised as the same; a cancelled one has no answer to give.
  const orAgain =
    differsIn === "erased" || isCancelled ? "" : ", or call again exactly as before to get that booking's answer";
  const same =
    done === "held" && !isCancelled && differsIn === "travelers"
      ? " To pay for it, name the same travelers as hold_flight did in additionalCustomerUserIds; for another booking:"
      : "";
  return new Failure("already_booked", {
    detail: `This ${name} ${how}. Nothing was done.${same} Search again and book another ${name}${orAgain}.`,
    extra: { orderId: orderId ?? null, bookingId, offerId, differsIn },
  });
}
