// Searches as they were made, and what follows from them: hotels, results, and a rate by its id.
import { invalidState, notFound } from "../http/errors.ts";
import { readDerivedId } from "../ids.ts";
import type { Sandbox } from "../sandbox.ts";
import { findHotel, type Hotel, hotelsAround } from "./hotels.ts";
import { isSoldOut, listRates, type Rate } from "./rates.ts";
import type { StayResult } from "./render.ts";
import { STAY_SEARCH_LIFE_MS, StaySearch } from "./search.ts";

export class StayFinder {
  readonly #sandbox: Sandbox;
  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
  }

  async save(search: StaySearch): Promise<void> {
    await this.#sandbox.db.query("INSERT INTO stay_searches (id, params, created_ms) VALUES ($1, $2, $3)", [
      search.core,
      JSON.stringify(search),
      search.createdAtMs,
    ]);
  }

  findHotels(search: StaySearch): readonly Hotel[] {
    const { seed } = this.#sandbox;
    if (search.location !== null) return hotelsAround(seed, search.location, search.location.radiusKm);
    return search.accommodationIds.map((id) => findHotel(seed, id)).filter((hotel) => hotel !== undefined);
  }

  buildResult(search: StaySearch, hotel: Hotel, place: number): StayResult | undefined {
    const { seed } = this.#sandbox;
    if (isSoldOut(seed, hotel, search)) return undefined;
    const [first, ...others] = listRates(seed, hotel, search, place);
    return first === undefined ? undefined : { hotel, place, rates: [first, ...others] };
  }

  /** The result that an id of a result or of one of its rates belongs to, whether it has expired or not. */
  async #resultBehind(prefix: string, id: string): Promise<{ search: StaySearch; result: StayResult }> {
    const parts = readDerivedId(prefix, id);
    if (parts === undefined) throw notFound();
    const { rows } = await this.#sandbox.db.query<{ params: unknown }>(
      "SELECT params FROM stay_searches WHERE id = $1",
      [parts.core],
    );
    if (rows[0] === undefined) throw notFound();
    const search = StaySearch.parse(rows[0].params);
    const hotel = this.findHotels(search)[parts.place];
    const result = hotel === undefined ? undefined : this.buildResult(search, hotel, parts.place);
    if (result === undefined) throw notFound();
    return { search, result };
  }

  #hasExpired(search: StaySearch): boolean {
    return search.createdAtMs + STAY_SEARCH_LIFE_MS <= this.#sandbox.clock.nowMs();
  }

  async findResult(id: string): Promise<{ search: StaySearch; result: StayResult }> {
    const found = await this.#resultBehind("srr", id);
    if (this.#hasExpired(found.search))
      throw invalidState("search_result_expired", "The search result has expired. Please search again.");
    return found;
  }

  async findRate(id: string): Promise<{ search: StaySearch; hotel: Hotel; rate: Rate }> {
    const { search, result } = await this.#resultBehind("rat", id);
    const rate = result.rates.find((candidate) => candidate.id === id);
    if (rate === undefined) throw notFound();
    if (this.#hasExpired(search)) throw invalidState("rate_expired", "The rate has expired. Please search again.");
    return { search, hotel: result.hotel, rate };
  }
}
