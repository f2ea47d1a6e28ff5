import { z } from "zod";
import { containsCardNumber } from "../../../domain/card-numbers.ts";
import { emailProblem, nameProblem } from "../../../domain/profile-fields.ts";
import { Email, IsoDate, PhoneNumber } from "../../../domain/schemas.ts";
import { sayDue } from "../../../domain/travel/say-due.ts";
import { rateErrors, supplierErrors } from "../../../domain/travel/supplier-errors.ts";
import { type Caller, Replayed } from "../../../kernel/contracts/tool.ts";
import { orderKey } from "../../../kernel/contracts/trip-note.ts";
import { type Booking, coverErrors, differingContact, planBooking, readChargeHash } from "../../bookings/index.ts";
import { isCovered, SinceBooked, sayCancelled, sinceBooked } from "../../orders/index.ts";
import { customerErrors } from "../../travelers/index.ts";
import { findVendorAddress, payingErrors } from "../../treasury/index.ts";
import { askedStay, type BookStayRequest, bookStay as book, checkPaidStay } from "../book-stay.ts";
import { defineTool, type Ports } from "../context.ts";
import { findOtherStays } from "../other-stays.ts";
import { asUsers, knownGuests, plannedGuests, sayUnlinked } from "../planned-guests.ts";
import { sayBeds, sayUnnamed } from "../say-guests.ts";
import { StayResult, sayNextOfStay } from "../stay-result.ts";

const Input = z
  .strictObject({
    quoteId: z.string().describe("quo_… from quote_stay"),
    email: Email,
    phoneNumber: PhoneNumber.optional().describe("E.164; default: the caller's profile"),
    guests: z
      .array(
        z.strictObject({
          givenName: z.string(),
          familyName: z.string(),
          bornOn: IsoDate.optional().describe("The hotel is told each child's age"),
          customerUserId: z.string().optional().describe("userId or icu_…; default: by names"),
        }),
      )
      .min(1)
      .max(9),
    loyaltyProgrammeAccountNumber: z.string().optional(),
    accommodationSpecialRequests: z.string().max(1_000).optional(),
    additionalCustomerUserIds: z.array(z.string()).optional().describe("icu_…: others who may see the booking"),
  })
  .superRefine((input, context) => {
    const check = (path: (string | number)[], message: string | undefined) => {
      if (message !== undefined) context.addIssue({ code: "custom", path, message });
    };
    check(["email"], emailProblem(input.email));
    for (const [index, { givenName, familyName }] of input.guests.entries()) {
      check(["guests", index, "givenName"], nameProblem(givenName));
      check(["guests", index, "familyName"], nameProblem(familyName));
    }
    if (input.loyaltyProgrammeAccountNumber?.trim() === "") {
      check(["loyaltyProgrammeAccountNumber"], "must not be empty");
    }
    if (containsCardNumber(input.accommodationSpecialRequests ?? "")) {
      check(["accommodationSpecialRequests"], "must not contain a payment card number");
    }
  });

const NotApplied = z
  .array(z.string())
  .nullable()
  .describe("On a repeat: which of email and phoneNumber differ from the booked ones, which are kept; null: not known");

/** Maps the input to the supplier port's request. */
function toStay(input: z.output<typeof Input>): BookStayRequest["stay"] {
  const { quoteId, email, phoneNumber, loyaltyProgrammeAccountNumber, accommodationSpecialRequests } = input;
  return {
    quoteId,
    email,
    phoneNumber,
    guests: input.guests.map(({ givenName, familyName, bornOn, customerUserId }) => ({
      ...(bornOn === undefined ? {} : { bornOn }),
      givenName,
      familyName,
      ...(customerUserId === undefined ? {} : { customerUserId }),
    })),
    customerUserIds: input.additionalCustomerUserIds ?? [],
    ...(loyaltyProgrammeAccountNumber === undefined ? {} : { loyaltyProgrammeAccountNumber }),
    ...(accommodationSpecialRequests === undefined ? {} : { specialRequests: accommodationSpecialRequests }),
  };
}

export const bookStay = defineTool({
  name: "book_stay",
  title: "Book stay",
  titles: {
    en: "Book this stay",
    de: "Diese Unterkunft buchen",
    fr: "Réserver ce séjour",
    es: "Reservar este alojamiento",
    pt: "Reservar este alojamento",
    "pt-BR": "Reservar esta hospedagem",
    ja: "この宿泊を予約",
  },
  summary:
    "Book a quote from quote_stay and pay for it from the treasury wallet; returns the accommodation's reference and the order id. Repeating it never books twice.",
  advice:
    "A real purchase: show the quote first. Returns itineraryHash and ticketOrderHash for commit_booking and confirm_flight.",
  area: "stays",
  effect: "spend",
  price: 20_000n,
  payableWithoutKey: false,
  uses: ["stays", "stayBookings", "travelers", "stores", "submission", "clock", "random", "fx"],
  input: Input,
  output: StayResult.extend({ ...SinceBooked, notApplied: NotApplied }),
  errors: {
    ...supplierErrors,
    outcome_unknown:
      "The supplier has not confirmed the booking yet; the price stays held. Call again with the same quote: you get the result, never a second order.",
    booking_in_progress: "An earlier call is booking this quote. Call again with the same quote to get its result.",
    already_booked:
      "The quote is already booked for other guests or with other requests; orderId names that order. Nothing was done. Get another quote, or repeat that call exactly to get its answer.",
    quote_not_found: "The quote does not exist. Call quote_stay again.",
    quote_expired: "The quote has expired. Nothing is owed; call quote_stay again.",
    rate_unavailable: "The rate is sold out or no longer offered. Nothing is owed; search again.",
    price_changed: "The price has changed. Nothing is owed; call quote_stay again.",
    booking_rejected: "The supplier refused the booking. Nothing is owed; check the guests or choose another rate.",
    ...rateErrors,
    ...coverErrors,
    ...payingErrors,
    ...customerErrors,
    traveler_incomplete: "A phone number is required: give phoneNumber, or add one to the profile with save_traveler.",
  },
  example: (_today, { quoteId }) => ({
    quoteId,
    email: "amelia@example.com",
    phoneNumber: "+442080160508",
    guests: [{ givenName: "Amelia", familyName: "Hart" }],
  }),
  remember: (_input, { orderId, reference, totalAmount, totalCurrency }) => ({
    kind: "order",
    key: orderKey(orderId),
    text: `A stay was booked for ${totalAmount} ${totalCurrency}.`,
    details: { orderId, reference, totalAmount, totalCurrency },
  }),

  plan: (input, { stores, travelers, caller }) =>
    planBooking(
      { stores, caller },
      {
        asked: askedStay(toStay(input)),
        travelerIds: () => plannedGuests({ travelers, caller }, input),
        namedIds: () => knownGuests({ travelers, caller }, input),
        remarksOn: async (seen) => {
          if (seen.kind !== "stay") return [];
          const guests = await asUsers({ travelers, caller }, input);
          return [...sayDue(seen.due ?? null), ...(await sayUnlinked(travelers, caller, guests))];
        },
        warningsOn: (seen) => (seen.kind === "stay" ? [...sayBeds(seen), ...sayUnnamed(seen, input.guests)] : []),
        overlapsWith: async (seen) => {
          if (seen.kind !== "stay") return [];
          const { name: accommodationName, checkInDate, checkOutDate } = seen;
          const guests = await asUsers({ travelers, caller }, input);
          const asked = { quoteId: input.quoteId, accommodationName, checkInDate, checkOutDate, guests };
          return await findOtherStays(stores, caller, asked);
        },
      },
    ),

  async probe(input, { stays, stayBookings, travelers, stores, clock, fx, caller }) {
    await checkPaidStay({ stays, stayBookings, travelers, stores, clock, fx }, { caller, stay: toStay(input) });
  },

  complete: buildAnswer,

  async run(input, { stays, stayBookings, travelers, stores, submission, clock, random, fx, caller, call }) {
    const answer = await book(
      { stays, stayBookings, travelers, stores, clock, fx },
      {
        caller,
        callId: call.id,
        stay: toStay(input),
      },
      { random, progress: call.progress, isRepeat: call.isRepeat },
    );
    const result = await buildAnswer(answer.result, { stores, submission, travelers, caller });
    if (answer.kind !== "replayed") return result;
    const booking = await stores.bookings.get(result.bookingId);
    return new Replayed(booking === undefined ? result : sayNotApplied(result, booking, input), answer.firstCallId);
  },
});

/** A repetition is the same booking whatever its contact details are; the answer names those that were not applied. */
function sayNotApplied(
  result: Awaited<ReturnType<typeof buildAnswer>>,
  booking: Booking,
  { email, phoneNumber }: z.output<typeof Input>,
) {
  const notApplied = differingContact(booking, { email, ...(phoneNumber === undefined ? {} : { phoneNumber }) });
  if (notApplied === undefined || notApplied.length === 0) return { ...result, notApplied: notApplied ?? null };
  const at = result.reference === null ? "" : ` and name its reference ${result.reference}`;
  const change = `The stay was already booked with a different ${notApplied.join(" and ")}, which it keeps. To change that, ask the accommodation${at}.`;
  return { ...result, notApplied, next: `${change} ${result.next}` };
}

async function buildAnswer(
  stored: unknown,
  {
    stores,
    submission,
    travelers,
    caller,
  }: Pick<Ports, "stores" | "submission" | "travelers"> & {
    caller: Pick<Caller, "tenantId" | "environment" | "userId">;
  },
) {
  const booked = StayResult.parse(stored);
  const { order, now } = await sinceBooked(stores, caller, booked.orderId);
  const { totalAmount, totalCurrency } = order ?? booked;
  const quoted = await stores.seenOffers.find(caller, booked.quoteId);
  const ofGuests = quoted?.kind === "stay" ? [...sayUnnamed(quoted, booked.travelers), ...sayBeds(quoted, true)] : [];
  const asked = {
    ...booked,
    guests: booked.travelers.map(({ userId, ...names }) => ({ ...names, userId: userId ?? undefined })),
  };
  const others = now.status === "cancelled" ? [] : await findOtherStays(stores, caller, asked);
  const next =
    now.status === "cancelled"
      ? sayCancelled(now.refundedUsdc)
      : [
          ...others.map(({ warning }) => warning),
          ...ofGuests,
          ...(await sayUnlinked(travelers, caller, booked.travelers)),
          sayNextOfStay(booked, { isCovered: isCovered(booked, now) }),
        ].join(" ");
  // The charge leaves the wallet at once, without waiting for the submitter's next turn.
  const chargeTxHash = await readChargeHash(submission, booked.chargeTransferId);
  const vendorAddress = await findVendorAddress(stores, caller.environment);
  return { ...booked, ...now, totalAmount, totalCurrency, next, chargeTxHash, vendorAddress, notApplied: [] };
}
