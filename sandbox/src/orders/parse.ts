// Reads and checks the body of `POST /air/orders`.
import { z } from "zod";
import { invalidField, invalidState } from "../http/errors.ts";
import { parseMoney } from "../money.ts";
import type { WireOffer } from "../offers/render.ts";
import type { FoundOffer } from "../offers/store.ts";
import { Metadata } from "./rows.ts";

const BornOn = z.string().regex(/^\d{4}-\d{2}-\d{2}$/u, "must be a date as YYYY-MM-DD");

export const PaymentBody = z.object({
  type: z.enum(["balance", "arc_bsp_cash", "card", "airline_credit"]),
  amount: z.string().optional(),
  currency: z.string().optional(),
  airline_credit_id: z.string().optional(),
});
export type PaymentBody = z.infer<typeof PaymentBody>;

export const OrderBody = z.object({
  type: z.enum(["instant", "hold"]).default("instant"),
  selected_offers: z.array(z.string()).length(1),
  services: z.array(z.object({ id: z.string(), quantity: z.number().int().min(1) })).optional(),
  payments: z.array(PaymentBody).optional(),
  passengers: z
    .array(
      z.object({
        id: z.string(),
        title: z.enum(["mr", "ms", "mrs", "miss", "dr"]),
        gender: z.enum(["m", "f"]),
        given_name: z.string().trim().min(1).max(80),
        family_name: z.string().trim().min(1).max(80),
        born_on: BornOn,
        email: z.string().regex(/^[^\s@]+@[^\s@]+\.[^\s@]+$/u, "is not an e-mail address"),
        phone_number: z.string().regex(/^\+[1-9]\d{6,14}$/u, "is not a phone number in E.164 form"),
        infant_passenger_id: z.string().nullish(),
        user_id: z.string().nullish(),
        identity_documents: z
          .array(
            z.object({
              type: z.enum(["passport", "tax_id", "known_traveler_number", "passenger_redress_number"]),
              unique_identifier: z.string().min(1),
              issuing_country_code: z.string().length(2).nullish(),
              expires_on: BornOn.nullish(),
            }),
          )
          .nullish(),
        loyalty_programme_accounts: z
          .array(z.object({ airline_iata_code: z.string(), account_number: z.string() }))
          .nullish(),
      }),
    )
    .min(1),
  users: z.array(z.string()).optional(),
  metadata: Metadata.nullish(),
});
export type OrderBody = z.infer<typeof OrderBody>;

export function readAmount(payment: PaymentBody, pointer: string): bigint {
  const amount = payment.amount === undefined ? undefined : parseMoney(payment.amount);
  if (payment.amount === undefined)
    throw invalidField("validation_required", `${pointer}/amount`, "Field 'amount' can't be blank");
  if (amount === undefined)
    throw invalidField("validation_format", `${pointer}/amount`, "Field 'amount' is not a decimal amount");
  return amount;
}

/** The rules that hold for every order before the offer's state is looked at. */
export function checkOrderShape(body: OrderBody, servicesMayBeHeld: boolean): void {
  if (body.type === "hold") {
    if ((body.payments ?? []).length > 0)
      throw invalidField("validation_absence", "payments", "Field 'payments' must be blank for hold orders");
    if ((body.services ?? []).length > 0 && !servicesMayBeHeld)
      throw invalidField("validation_absence", "services", "Services can't be booked with hold orders");
    return;
  }
  if ((body.payments ?? []).length === 0)
    throw invalidField("validation_required", "payments", "Field 'payments' can't be blank");
}

/** The passengers of an order must be exactly those of its offer. */
export function checkPassengers(body: OrderBody, found: FoundOffer): void {
  const expected = new Map(found.request.passengers.map((passenger) => [passenger.id, passenger]));
  const seen = new Set<string>();
  const infantsHeld = new Set<string>();
  const departs = found.offer.slices[0]?.flights[0].departsLocal.toPlainDate();
  for (const [index, passenger] of body.passengers.entries()) {
    const pointer = `passengers/${index}`;
    const asked = expected.get(passenger.id);
    if (asked === undefined || seen.has(passenger.id)) {
      throw invalidField(
        "validation_inclusion",
        `${pointer}/id`,
        "is not a passenger of the selected offer, or is given twice",
      );
    }
    seen.add(passenger.id);
    let born: Temporal.PlainDate;
    try {
      born = Temporal.PlainDate.from(passenger.born_on, { overflow: "reject" });
    } catch {
      throw invalidField("validation_format", `${pointer}/born_on`, "is not a date of the calendar");
    }
    const ageAtDeparture = departs === undefined ? 0 : born.until(departs, { largestUnit: "years" }).years;
    if (departs !== undefined && Temporal.PlainDate.compare(born, departs) > 0) {
      throw invalidField("validation_inclusion", `${pointer}/born_on`, "is in the future");
    }
    if (asked.type === "infant_without_seat" && ageAtDeparture >= 2) {
      throw invalidField("validation_inclusion", `${pointer}/born_on`, "an infant must be under two years old");
    }
    if (passenger.infant_passenger_id !== null && passenger.infant_passenger_id !== undefined) {
      const infant = expected.get(passenger.infant_passenger_id);
      if (infant?.type !== "infant_without_seat" || infantsHeld.has(infant.id)) {
        throw invalidField(
          "validation_inclusion",
          `${pointer}/infant_passenger_id`,
          "is not a free infant of this offer",
        );
      }
      infantsHeld.add(infant.id);
    }
  }
  if (seen.size !== expected.size) {
    throw invalidField(
      "validation_length",
      "passengers",
      `The selected offer has ${expected.size} passengers, the order ${seen.size}`,
    );
  }
  for (const passenger of found.request.passengers) {
    if (passenger.type === "infant_without_seat" && !infantsHeld.has(passenger.id)) {
      throw invalidField(
        "validation_required",
        "passengers",
        `An adult must name infant '${passenger.id}' as infant_passenger_id`,
      );
    }
  }
}

/** One document of a passenger at most, of a type that the airline takes, and one of each passenger where the offer wants it. */
export function checkDocuments(body: OrderBody, offer: WireOffer): void {
  const supported: readonly string[] = offer.supported_passenger_identity_document_types;
  for (const [index, { identity_documents: documents }] of body.passengers.entries()) {
    const pointer = `passengers/${index}/identity_documents`;
    const [document, ...more] = documents ?? [];
    if (document === undefined) {
      if (!offer.passenger_identity_documents_required) continue;
      throw invalidField(
        "validation_required",
        pointer,
        "The airline requires an identity document for every passenger",
      );
    }
    if (more.length > 0) throw invalidField("validation_length", pointer, "A passenger can give at most one document");
    if (!supported.includes(document.type))
      throw invalidField(
        "validation_inclusion",
        `${pointer}/0/type`,
        "The airline does not accept documents of this type",
      );
    if (!document.issuing_country_code || !document.expires_on)
      throw invalidField(
        "validation_required",
        `${pointer}/0`,
        "A document needs 'issuing_country_code' and 'expires_on'",
      );
  }
}

export function checkHoldable(body: OrderBody, found: FoundOffer): void {
  if (body.type === "hold" && found.offer.requiresInstantPayment) {
    throw invalidState(
      "invalid_order_create_type",
      "The selected offer requires instant payment: create an order of type 'instant'.",
    );
  }
}
