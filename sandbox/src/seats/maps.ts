import { accountCurrency } from "../currencies.ts";
import { formatMoney } from "../money.ts";
import type { Queryable } from "../storage/database.ts";
import type { Element } from "./layout.ts";
import {
  flightKey,
  formatDesignator,
  type Journey,
  seatServices,
  seatTexts,
  segmentLayout,
  type WireSegment,
  type WireSlice,
} from "./services.ts";

function renderElement(
  journey: Journey,
  slice: WireSlice,
  segment: WireSegment,
  element: Element,
  taken: ReadonlySet<string>,
) {
  if (!("seat" in element)) return { type: element.fitting };
  const { seat } = element;
  const designator = formatDesignator(seat);
  const services = taken.has(designator) ? [] : seatServices(journey, slice, segment, seat);
  return {
    type: seat.kind === "restricted" ? "restricted_seat_general" : "seat",
    designator,
    ...seatTexts(seat.kind),
    available_services: services.map((service) => ({
      id: service.id,
      passenger_id: service.passengerIds[0] ?? "",
      total_amount: formatMoney(service.unitMicro),
      total_currency: accountCurrency(),
    })),
  };
}

async function takenSeats(
  db: Queryable,
  flights: readonly string[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const { rows } = await db.query<{ flight: string; designator: string }>(
    "SELECT flight, designator FROM booked_seats WHERE flight = ANY ($1)",
    [flights],
  );
  const taken = new Map<string, Set<string>>();
  for (const row of rows) taken.set(row.flight, (taken.get(row.flight) ?? new Set()).add(row.designator));
  return taken;
}

/** One map for each segment whose airline has one; the cabin is the one that the passengers fly in. */
export async function renderSeatMaps(db: Queryable, journey: Journey) {
  const flights = journey.slices.flatMap((slice) => slice.segments.map(flightKey));
  const taken = await takenSeats(db, flights);
  return journey.slices.flatMap((slice) =>
    slice.segments.flatMap((segment) => {
      const layout = segmentLayout(segment);
      if (layout === undefined) return [];
      const gone = taken.get(flightKey(segment)) ?? new Set<string>();
      const rows = layout.rows.map((sections) => ({
        sections: sections.map((elements) => ({
          elements: elements.map((element) => renderElement(journey, slice, segment, element, gone)),
        })),
      }));
      return [
        {
          id: `sea_${segment.id.slice("seg_".length)}`,
          slice_id: slice.id,
          segment_id: segment.id,
          cabins: [
            {
              deck: 0,
              cabin_class: segment.passengers[0]?.cabin_class ?? "economy",
              aisles: layout.aisles,
              wings: layout.wings,
              rows,
            },
          ],
        },
      ];
    }),
  );
}
