// The wire shapes that the servicing tests expect, and their common steps.
import { z } from "zod";
import type { RunningSandbox } from "./start.ts";
import {
  cents,
  daysAhead,
  instantBody,
  type Offer,
  Order,
  parseData,
  pickOffer,
  type Search,
  tick,
} from "./supplier.ts";

const Money = z.string().regex(/^\d+\.\d{2}$/u);
const SignedMoney = z.string().regex(/^-?\d+\.\d{2}$/u);

export const BagService = z.strictObject({
  id: z.string().startsWith("ase_0000"),
  type: z.literal("baggage"),
  maximum_quantity: z.number().int().min(0),
  passenger_ids: z.array(z.string()).length(1),
  segment_ids: z.array(z.string()).min(1),
  total_amount: Money,
  total_currency: z.literal("USD"),
  metadata: z.strictObject({
    type: z.literal("checked"),
    maximum_weight_kg: z.number(),
    maximum_height_cm: z.number(),
    maximum_length_cm: z.number(),
    maximum_depth_cm: z.number(),
  }),
});

const Seat = z.strictObject({
  type: z.enum(["seat", "restricted_seat_general"]),
  designator: z.string().regex(/^\d{1,2}[A-K]$/u),
  name: z.string(),
  disclosures: z.array(z.string()),
  available_services: z.array(
    z.strictObject({
      id: z.string().startsWith("ase_0000"),
      passenger_id: z.string().startsWith("pas_"),
      total_amount: Money,
      total_currency: z.literal("USD"),
    }),
  ),
});
export type Seat = z.infer<typeof Seat>;
const Fitting = z.strictObject({
  type: z.enum(["bassinet", "empty", "exit_row", "lavatory", "galley", "closet", "stairs"]),
});

export const SeatMap = z.strictObject({
  id: z.string().startsWith("sea_"),
  slice_id: z.string().startsWith("sli_"),
  segment_id: z.string().startsWith("seg_"),
  cabins: z
    .array(
      z.strictObject({
        deck: z.number(),
        cabin_class: z.string(),
        aisles: z.number().int(),
        wings: z.strictObject({ first_row_index: z.number(), last_row_index: z.number() }).nullable(),
        rows: z.array(
          z.strictObject({
            sections: z.array(z.strictObject({ elements: z.array(z.union([Seat, Fitting])) })),
          }),
        ),
      }),
    )
    .min(1),
});
export type SeatMap = z.infer<typeof SeatMap>;

export const ServicedOrder = Order.extend({
  documents: z.array(z.looseObject({ type: z.string(), unique_identifier: z.string().regex(/^000-\d{10}$/u) })),
  tax_amount: Money,
  base_amount: Money,
  conditions: z.looseObject({
    change_before_departure: z.looseObject({ allowed: z.boolean(), penalty_amount: Money.nullable() }),
    refund_before_departure: z.looseObject({ allowed: z.boolean(), penalty_amount: Money.nullable() }),
  }),
  slices: z.array(
    z.looseObject({
      id: z.string(),
      conditions: z.looseObject({ change_before_departure: z.unknown() }).optional(),
      segments: z.array(
        z.looseObject({
          id: z.string(),
          departing_at: z.string(),
          passengers: z.array(
            z.looseObject({ passenger_id: z.string(), seat: z.looseObject({ designator: z.string() }).optional() }),
          ),
        }),
      ),
    }),
  ),
  services: z.array(
    z.looseObject({
      id: z.string().startsWith("ser_0000"),
      type: z.enum(["seat", "baggage"]),
      quantity: z.number(),
      passenger_ids: z.array(z.string()),
      segment_ids: z.array(z.string()),
      total_amount: Money,
    }),
  ),
  available_actions: z.array(z.enum(["cancel", "change", "update"])),
  airline_initiated_changes: z.array(z.looseObject({ id: z.string(), action_taken: z.string().nullable() })),
  changes: z.array(z.looseObject({ id: z.string() })),
  cancellation: z.looseObject({ id: z.string() }).nullable(),
});
export type ServicedOrder = z.infer<typeof ServicedOrder>;

const Change = z.looseObject({
  order_id: z.string().startsWith("ord_"),
  slices: z.looseObject({
    add: z.array(z.looseObject({ id: z.string(), segments: z.array(z.looseObject({ departing_at: z.string() })) })),
    remove: z.array(z.looseObject({ id: z.string() })),
  }),
  change_total_amount: SignedMoney,
  change_total_currency: z.literal("USD"),
  new_total_amount: Money,
  penalty_total_amount: Money,
  penalty_total_currency: z.literal("USD"),
  refund_to: z.enum(["original_form_of_payment", "voucher"]).nullable(),
  expires_at: z.iso.datetime(),
});
export const ChangeOffer = Change.omit({ order_id: true }).extend({
  id: z.string().startsWith("oco_0000"),
  order_change_id: z.string().nullable(),
});
export type ChangeOffer = z.infer<typeof ChangeOffer>;
export const OrderChange = Change.extend({
  id: z.string().startsWith("oce_0000"),
  confirmed_at: z.string().nullable(),
  available_payment_types: z.array(z.string()),
});
export type OrderChange = z.infer<typeof OrderChange>;
export const ChangeRequest = z.looseObject({
  id: z.string().startsWith("ocr_0000"),
  order_id: z.string(),
  order_change_offers: z.array(ChangeOffer),
});

export const AirlineChange = z.looseObject({
  id: z.string().startsWith("aic_0000"),
  order_id: z.string(),
  added: z.array(z.looseObject({ id: z.string(), segments: z.array(z.looseObject({ departing_at: z.string() })) })),
  removed: z.array(z.looseObject({ id: z.string() })),
  available_actions: z.array(z.string()),
  action_taken: z.string().nullable(),
  action_taken_at: z.string().nullable(),
  travel_agent_ticket: z.null(),
});

const Books = z.object({
  changes: z.array(z.looseObject({ id: z.string(), order_id: z.string(), confirmed_at: z.string().nullable() })),
  services: z.array(z.looseObject({ id: z.string(), order_id: z.string(), amount: Money })),
  credits: z.array(
    z.looseObject({ id: z.string(), order_id: z.string().nullable(), spent_on_order_id: z.string().nullable() }),
  ),
  airlineInitiatedChanges: z.array(z.looseObject({ id: z.string(), action_taken: z.string().nullable() })),
});

export async function servicingBooks(sandbox: RunningSandbox, orderId: string) {
  const books = Books.parse((await sandbox.control("GET", "/_sandbox/ledger")).body);
  const mine = <Row extends { order_id: string | null }>(rows: readonly Row[]) =>
    rows.filter((row) => row.order_id === orderId);
  return { changes: mine(books.changes), services: mine(books.services), credits: mine(books.credits), all: books };
}

export async function seatMaps(sandbox: RunningSandbox, offerId: string): Promise<SeatMap[]> {
  return parseData(await sandbox.call("GET", `/air/seat_maps?offer_id=${offerId}`), z.array(SeatMap));
}

export function listElements(map: SeatMap) {
  return map.cabins.flatMap((cabin) =>
    cabin.rows.flatMap((row) => row.sections.flatMap((section) => section.elements)),
  );
}

export function listSeats(map: SeatMap): Seat[] {
  return listElements(map).flatMap((element) => ("designator" in element ? [element] : []));
}

/** The first seat that can be had and passes. */
export function freeSeat(maps: readonly SeatMap[], accept: (seat: Seat) => boolean = () => true) {
  const seat = maps
    .flatMap(listSeats)
    .find((candidate) => candidate.available_services.length > 0 && accept(candidate));
  const [service] = seat?.available_services ?? [];
  if (seat === undefined || service === undefined) throw new Error("no seat of the map fits");
  return { seat, service };
}

export async function readBags(sandbox: RunningSandbox, offerId: string) {
  const answer = await sandbox.call("GET", `/air/offers/${offerId}?return_available_services=true`);
  return parseData(answer, z.looseObject({ available_services: z.array(BagService) })).available_services;
}

export function brand(name: string) {
  return (offer: Offer) => offer.slices[0]?.fare_brand_name === name;
}

export async function readOrder(sandbox: RunningSandbox, id: string): Promise<ServicedOrder> {
  return parseData(await sandbox.call("GET", `/air/orders/${id}`), ServicedOrder);
}

/** A paid order with its tickets. */
export async function ticketedOrder(
  sandbox: RunningSandbox,
  accept: (offer: Offer) => boolean = brand("Standard"),
  query: Partial<Search> = {},
  changes: Record<string, unknown> = {},
): Promise<{ offer: Offer; order: ServicedOrder }> {
  const offer = await pickOffer(sandbox, accept, query);
  const answer = await sandbox.call("POST", "/air/orders", instantBody(offer, changes));
  const { id } = parseData(answer, z.looseObject({ id: z.string() }), 201);
  await tick(sandbox, 2);
  return { offer, order: await readOrder(sandbox, id) };
}

export function sliceIds(order: ServicedOrder): string[] {
  return order.slices.map((slice) => slice.id);
}

/** Another date for the first slice of an order from London to New York. */
export function wanted(order: ServicedOrder, days: number, more: Record<string, unknown> = {}) {
  return {
    order_id: order.id,
    slices: {
      remove: [{ slice_id: order.slices[0]?.id }],
      add: [{ origin: "LHR", destination: "JFK", departure_date: daysAhead(days), ...more }],
    },
  };
}

export async function issueCredit(sandbox: RunningSandbox, airline: string, amount: string): Promise<string> {
  const credit = {
    airline_iata_code: airline,
    amount,
    amount_currency: "USD",
    code: "C-1",
    type: "mco",
    issued_on: daysAhead(-1),
    expires_at: daysAhead(300),
  };
  const answer = await sandbox.call("POST", "/air/airline_credits", credit);
  return parseData(answer, z.looseObject({ id: z.string() }), 201).id;
}

/** The airline's fee is paid with the change and is no part of what the order costs. */
export function totalAfter(order: { total_amount: string }, change: { change_total_amount: string }): string {
  const total = cents(order.total_amount) + cents(change.change_total_amount);
  return (Number(total) / 100).toFixed(2);
}
