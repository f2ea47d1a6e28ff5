import type { PrivateFare } from "../../ports/flights.ts";

interface PrivateFareInput {
  corporate_code?: string | undefined;
  tour_code?: string | undefined;
  tracking_reference?: string | undefined;
  account_number?: string | undefined;
}

/** From the interface's field names to the port's; airline codes in upper case. */
export function toPrivateFares(
  input: Readonly<Record<string, readonly PrivateFareInput[]>>,
): Record<string, PrivateFare[]> {
  const fares: Record<string, PrivateFare[]> = {};
  for (const [airline, entries] of Object.entries(input)) {
    const code = airline.toUpperCase();
    fares[code] = [...(fares[code] ?? []), ...entries.map(toPrivateFare)];
  }
  return fares;
}

function toPrivateFare(input: PrivateFareInput): PrivateFare {
  return {
    ...(input.corporate_code === undefined ? {} : { corporateCode: input.corporate_code }),
    ...(input.tour_code === undefined ? {} : { tourCode: input.tour_code }),
    ...(input.tracking_reference === undefined ? {} : { trackingReference: input.tracking_reference }),
    ...(input.account_number === undefined ? {} : { accountNumber: input.account_number }),
  };
}
