import type { SeatService } from "../../ports/flight-servicing.ts";

/** At most `limit` seats, shared out evenly over flights and passengers; the order within each is kept. */
export function chooseSeats(seats: readonly SeatService[], limit: number): SeatService[] {
  const rows = Map.groupBy(seats, ({ segmentId, passengerId }) => `${segmentId} ${passengerId}`);
  const chosen = new Set<SeatService>();
  for (let index = 0; chosen.size < Math.min(limit, seats.length); index += 1) {
    for (const row of rows.values()) {
      const seat = row[index];
      if (seat !== undefined && chosen.size < limit) chosen.add(seat);
    }
  }
  return seats.filter((seat) => chosen.has(seat));
}
