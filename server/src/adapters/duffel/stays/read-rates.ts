import type { Accommodation } from "../../../ports/supplier/stays.ts";
import { type LargeRead, readData } from "../read-large.ts";
import { toAccommodation, WireStayWithRates } from "./map-stays.ts";

/** Undefined if no bookable rate is left. */
function readRates({ body }: { body: Uint8Array }): LargeRead<Accommodation | undefined> {
  const read = readData(body, WireStayWithRates);
  return "misread" in read ? read : { value: toAccommodation(read.value) };
}

export const task = { module: import.meta.url, run: readRates };
