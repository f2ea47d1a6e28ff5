import type { ToolMap } from "../src/modules/index.ts";
import type { Answer, Args, Steps } from "../src/workflows/tools.ts";

/** Compiled, never run: each marked line must be an error, or the compiler stops with "unused @ts-expect-error". */

// @ts-expect-error the map names its tools, and is no record of anything
export const unknownName: keyof ToolMap = "search_trains";

export const args: Args<"search_flights"> = { origin: "LHR", destination: "JFK", departureDate: "2026-11-26" };
// @ts-expect-error an argument that is missing
export const missing: Args<"search_flights"> = { origin: "LHR", destination: "JFK" };

export const readPrice = ({ offers }: Answer<"search_flights">): string | undefined => offers[0]?.totalAmount;
// @ts-expect-error a field that the answer does not have
export const readFare = ({ offers }: Answer<"search_flights">) => offers[0]?.costs;

export async function run({ call }: Steps): Promise<string> {
  // @ts-expect-error a tool that there is not
  await call("search_trains", {});
  // @ts-expect-error an argument of another kind
  await call("read_trip", { tripId: 1 });
  // @ts-expect-error an argument that the tool does not take
  await call("read_trip", { tripId: "", trip: "" });
  const { freeUsdc } = await call("read_trip", { tripId: "" });
  return freeUsdc;
}
