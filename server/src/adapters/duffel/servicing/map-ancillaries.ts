import { z } from "zod";
import { parseDecimal } from "../../../domain/money.ts";
import type { SeatService } from "../../../ports/supplier/flight-servicing.ts";
import type { BaggageService } from "../../../ports/supplier/flights.ts";
import { Amount, Count, Currency, Text } from "../wire.ts";

/** Bags of an offer and seats of its seat maps. */

const WireBaggage = z.object({
  id: Text,
  type: z.literal("baggage"),
  maximum_quantity: Count,
  passenger_ids: z.array(Text).min(1),
  segment_ids: z.array(Text).min(1),
  total_amount: Amount,
  total_currency: Currency,
  metadata: z
    .object({ type: z.string().nullish(), maximum_weight_kg: z.coerce.number().positive().nullish().catch(null) })
    .nullish(),
});

export const WireOfferServices = z.object({
  id: Text,
  total_amount: Amount,
  total_currency: Currency,
  available_services: z.array(z.unknown()).nullish(),
});

const Typed = z.object({ type: z.string() });

/** Selects the bags among services of any kind; unreadable ones are counted and skipped. */
export function toBags(services: readonly unknown[]): { bags: BaggageService[]; unread: number } {
  const offered = services.filter((service) => Typed.safeParse(service).data?.type === "baggage");
  const parsed = offered.map((service) => WireBaggage.safeParse(service));
  const bags = parsed.flatMap((result) => (result.success ? [toBaggage(result.data)] : []));
  return { bags, unread: offered.length - bags.length };
}

function toBaggage(service: z.infer<typeof WireBaggage>): BaggageService {
  const type = service.metadata?.type;
  return {
    id: service.id,
    kind: type === "checked" || type === "carry_on" ? type : "other",
    maximumQuantity: service.maximum_quantity,
    maximumWeightKilograms: service.metadata?.maximum_weight_kg ?? null,
    passengerIds: service.passenger_ids,
    segmentIds: service.segment_ids,
    totalAmount: service.total_amount,
    totalCurrency: service.total_currency,
  };
}

const Element = z.object({ type: z.string() });
const SEATS: ReadonlySet<string> = new Set(["seat", "restricted_seat_general"]);

const WireSeat = z.object({
  designator: Text,
  name: z.string().nullish(),
  disclosures: z.array(z.string()).nullish(),
  available_services: z
    .array(z.object({ id: Text, passenger_id: Text, total_amount: Amount, total_currency: Currency }))
    .nullish(),
});

const WireRow = z.object({ sections: z.array(z.object({ elements: z.array(Element.loose()) })) });
type WireRow = z.infer<typeof WireRow>;

export const WireSeatMap = z.object({
  segment_id: Text,
  cabins: z.array(z.object({ cabin_class: z.string().nullish(), rows: z.array(WireRow) })),
});
type WireSeatMap = z.infer<typeof WireSeatMap>;

function listElements(row: WireRow) {
  return row.sections.flatMap(({ elements }) => elements);
}

function hasExit(row: WireRow | undefined): boolean {
  return row !== undefined && listElements(row).some(({ type }) => type === "exit_row");
}

function hasSeats(row: WireRow): boolean {
  return listElements(row).some(({ type }) => SEATS.has(type));
}

/** An exit is marked in the row itself, or by a row without seats in front of it. */
function isAtExit(rows: readonly WireRow[], index: number): boolean {
  const before = rows[index - 1];
  return hasExit(rows[index]) || (before !== undefined && !hasSeats(before) && hasExit(before));
}

/** Aisles divide the sections; the outermost seats are window seats, even where the cabin narrows. */
function seatPosition(row: WireRow, section: number, place: number): SeatService["position"] {
  const elements = row.sections[section]?.elements ?? [];
  const isSeat = ({ type }: { type: string }) => SEATS.has(type);
  const lastSection = row.sections.length - 1;
  if (section === 0 && elements.findIndex(isSeat) === place) return "window";
  if (section === lastSection && elements.findLastIndex(isSeat) === place) return "window";
  const atAisle = (section > 0 && place === 0) || (section < lastSection && place === elements.length - 1);
  return atAisle ? "aisle" : "middle";
}

/** Free seats, one for each passenger who may have it; unreadable ones are counted and skipped. */
export function toSeats(maps: readonly WireSeatMap[]): { seats: SeatService[]; unread: number } {
  let unread = 0;
  const seats = maps.flatMap((map) => {
    const found = map.cabins.flatMap(({ cabin_class: cabinClass, rows }) =>
      rows.flatMap((row, rowIndex) =>
        row.sections.flatMap((section, sectionIndex) =>
          section.elements.flatMap((element, place): SeatService[] => {
            if (!SEATS.has(element.type)) return [];
            const seat = WireSeat.safeParse(element);
            if (!seat.success) {
              unread += 1;
              return [];
            }
            const { designator, name, disclosures, available_services: services } = seat.data;
            return (services ?? []).map((service) => ({
              id: service.id,
              passengerId: service.passenger_id,
              segmentId: map.segment_id,
              designator,
              cabinClass: cabinClass ?? null,
              position: seatPosition(row, sectionIndex, place),
              isExitRow: isAtExit(rows, rowIndex),
              airlineSays: [
                ...(element.type === "restricted_seat_general" ? [name ?? "Restricted seat"] : []),
                ...(disclosures ?? []),
              ],
              totalAmount: service.total_amount,
              totalCurrency: service.total_currency,
            }));
          }),
        ),
      ),
    );
    return found.sort(byPrice);
  });
  return { seats, unread };
}

function byPrice(a: SeatService, b: SeatService): number {
  const difference = (parseDecimal(a.totalAmount) ?? 0n) - (parseDecimal(b.totalAmount) ?? 0n);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}
