import type { SeatService } from "../../../ports/supplier/flight-servicing.ts";

/**
 * At most `limit` seats, grouped by flight, passenger and position, cheapest first within each group. Groups take turns
 * with their cheapest, so that every kind is included while the limit allows.
 */
export function chooseSeats(seats: readonly SeatService[], limit: number): SeatService[] {
  const groups = [...Map.groupBy(seats, groupKey).values()].map((group) => group.toSorted(byPrice));
  const chosen = new Set<SeatService>();
  for (let index = 0; chosen.size < Math.min(limit, seats.length); index += 1) {
    for (const group of groups) {
      const seat = group[index];
      if (seat !== undefined && chosen.size < limit) chosen.add(seat);
    }
  }
  return groups.flatMap((group) => group.filter((seat) => chosen.has(seat)));
}

const groupKey = ({ segmentId, passengerId, position }: SeatService): string =>
  `${segmentId} ${passengerId} ${position}`;

/** A flight's seats are priced in one currency; numbers are only compared here. */
const byPrice = (left: SeatService, right: SeatService): number =>
  Number(left.totalAmount) - Number(right.totalAmount) || Number(left.isExitRow) - Number(right.isExitRow);
