import { bookByRun, type Product, prepareTrip } from "../../server/test/support/whole-bookings.ts";

export const AT_ONCE = 8;
const BOOKINGS = 24;

/** The first rounds let the compiler of the service and the plans of the database get warm. */
const WARM_UP_ROUNDS = 2;
const ROUNDS = 3;

export interface RateSlice {
  bookings: number;
  seconds: number;
  /** CPU seconds of each process, in the order of `readCpu`. */
  cpu: readonly number[];
}

/** Runs whole bookings, so many at once, over trips that are prepared beforehand. */
export async function bookAtOnce(
  product: Product,
  departureDate: string,
  readCpu: () => readonly number[],
): Promise<readonly RateSlice[]> {
  const slices: RateSlice[] = [];
  for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round += 1) {
    const trips = await inTurns(() => prepareTrip(product));
    const [before, begun] = [readCpu(), performance.now()];
    await inTurns((index) => bookByRun(product, trips[index] ?? "", departureDate));
    const seconds = (performance.now() - begun) / 1_000;
    const cpu = readCpu().map((used, index) => used - (before[index] ?? 0));
    if (round >= WARM_UP_ROUNDS) slices.push({ bookings: BOOKINGS, seconds, cpu });
  }
  return slices;
}

/** Runs so many bookings one after the other. */
export async function bookAlone(product: Product, departureDate: string, count: number): Promise<void> {
  for (let done = 0; done < count; done += 1) await bookByRun(product, await prepareTrip(product), departureDate);
}

async function inTurns<Result>(work: (index: number) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < BOOKINGS; index = next++) results[index] = await work(index);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return results;
}
