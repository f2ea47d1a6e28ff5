import type { CallOptions } from "../../ports/flights.ts";
import type { StaySearch } from "../../ports/stays.ts";
import { searchWithOwnRates } from "./negotiated-rates.ts";
import { searchRadii } from "./search-radius.ts";

interface Around {
  query: Omit<StaySearch, "radiusKilometers" | "negotiatedRateIds">;
  precision: Parameters<typeof searchRadii>[0];
}

/** Around a place; where there is nothing so near, around it as a city is searched. */
export async function searchAround(
  ports: Parameters<typeof searchWithOwnRates>[0],
  caller: Parameters<typeof searchWithOwnRates>[1],
  { query, precision }: Around,
  limit: number,
  options: CallOptions,
) {
  const search = async (radiusKilometers: number) => {
    const wanted = { ...query, radiusKilometers };
    return { wanted, ...(await searchWithOwnRates(ports, caller, wanted, limit, options)) };
  };
  const [near, wider] = searchRadii(precision);
  const found = await search(near);
  return found.accommodations.length > 0 || wider === undefined ? found : await search(wider);
}
