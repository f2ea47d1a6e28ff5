import { expect, test } from "vitest";
import { startDuffel } from "../../../test/support/duffel-harness.ts";
import { silentLog } from "../../../test/support/identity.ts";
import { ThreadPool } from "../../platform/threads/thread-pool.ts";
import { wireOffer, wireStay, withRates } from "./__fixtures__/wire.ts";
import { failure } from "./errors.ts";

const query = {
  origin: "LHR",
  destination: "JFK",
  departureDate: "2026-12-20",
  cabinClass: "economy" as const,
  passengers: [{ loyaltyAccounts: [] }],
  privateFares: {},
  airlineCreditIds: [],
};
const place = { latitude: 51.5, longitude: -0.12, radiusKilometers: 5 };
const night = { checkInDate: "2026-12-20", checkOutDate: "2026-12-21", guests: 1, rooms: 1 };

/** Every answer is read in another thread. */
async function startThreaded(script: Parameters<typeof startDuffel>[0]) {
  const threads = new ThreadPool({
    log: silentLog,
    failure: (reason) => failure("provider_unavailable", new Error(reason)),
    threads: 1,
    smallBytes: 0,
  });
  // The thread is ready once it has answered.
  await using warm = await startDuffel(() => ({ status: 201, json: { data: { offers: [] } } }), {}, threads);
  await warm.flights.searchOffers(query);
  const duffel = await startDuffel(script, {}, threads);
  return {
    ...duffel,
    async [Symbol.asyncDispose]() {
      await duffel[Symbol.asyncDispose]();
      await threads.close();
    },
  };
}

test("offers and stays are the same, whichever thread has read them", async () => {
  const bad = { ...wireOffer, id: "off_bad", total_amount: "a lot" };
  const offers = [bad, ...Array.from({ length: 1_000 }, (_, index) => ({ ...wireOffer, id: `off_${index}` }))];
  const stays = [wireStay("srr_1", 8.1, "120.00"), wireStay("srr_2", null, "80.00")];
  const script: Parameters<typeof startDuffel>[0] = ({ path }) => {
    if (path.startsWith("/air")) return { status: 201, json: { data: { offers } } };
    const stay = stays.find(({ id }) => path.includes(id));
    return { status: 200, json: { data: stay === undefined ? { results: stays } : withRates(stay, "120.00") } };
  };
  await using here = await startDuffel(script);
  await using there = await startThreaded(script);
  const [one, other] = [await here.flights.searchOffers(query), await there.flights.searchOffers(query)];
  expect(other.offers).toEqual(one.offers);
  expect(other.offers).toHaveLength(1_000);
  const search = { ...place, ...night };
  expect(await there.stays.searchAccommodations(search, 6)).toEqual(await here.stays.searchAccommodations(search, 6));
  const left = expect.objectContaining({ left: 1, of: 1_001, issues: ["total_amount custom"] });
  for (const { lines } of [here, there]) expect(lines.map(({ fields }) => fields)).toContainEqual(left);
});

test("hostile answers make the supplier unavailable, and the next search works", async () => {
  const deep = `${"[".repeat(2_000_000)}${"]".repeat(2_000_000)}`;
  const hostile = [
    "<html>not JSON</html>",
    `{"data":{"offers":${deep}}}`,
    `{"data":{"offers":[{"id":"${"x".repeat(8_000_000)}"}]}}`,
    `{"data":{"offers":[${"{},".repeat(20_000)}{}]}}`,
    `{"data":{"offers":{"length":1e9}}}`,
  ];
  let body = "";
  await using duffel = await startThreaded(() => ({ status: 201, text: body }));
  for (body of hostile) {
    await expect(duffel.flights.searchOffers(query)).rejects.toMatchObject({ code: "provider_unavailable" });
  }
  body = JSON.stringify({ data: { offers: [wireOffer] } });
  expect((await duffel.flights.searchOffers(query)).offers).toMatchObject([{ id: wireOffer.id }]);
  expect(duffel.lines.some(({ fields }) => JSON.stringify(fields).includes("xxxx"))).toBe(false);
});
