import { expect, test } from "vitest";
import { startDuffel } from "../../../../test/support/duffel-harness.ts";
import { wireStay, withRates } from "../__fixtures__/wire.ts";

const query = {
  latitude: 38.7,
  longitude: -9.1,
  radiusKilometers: 10,
  checkInDate: "2027-01-19",
  checkOutDate: "2027-01-22",
  guests: 2,
  rooms: 1,
};
const fetchPath = (id: string) => `/stays/search_results/srr_${id}/actions/fetch_all_rates`;

test("the best places by score and price, including the cheapest, have their cheapest rate payable from the balance", async () => {
  const stays = [
    wireStay("dear", 9.4, "900.00"),
    wireStay("good", 8.8, "300.00"),
    wireStay("cheap", 8.0, "150.00"),
    wireStay("poor", 3.1, "140.00"),
    wireStay("unrated", null, "310.00"),
  ];
  await using duffel = await startDuffel((request) => {
    if (request.path === "/stays/search") return { status: 200, json: { data: { results: stays } } };
    const stay = stays.find(({ id }) => request.path.includes(`/${id}/`));
    if (stay === undefined) return { status: 404, json: { errors: [] } };
    return { status: 200, json: { data: withRates(stay, "123.45") } };
  });
  const family = { ...query, guests: 3, childAges: [6] };
  const { accommodations: found } = await duffel.stays.searchAccommodations(family, 3);
  expect(found.map((place) => place.id)).toEqual(["acc_cheap", "acc_good", "acc_poor"]);
  expect(found[0]).toEqual({
    id: "acc_cheap",
    searchResultId: "srr_cheap",
    name: "House cheap (Sandbox)",
    latitude: 38.71,
    longitude: -9.14,
    address: "1 Quay, Lisbon, 1100, PT",
    photos: ["https://photos.example.test/1.png"],
    starRating: 4,
    reviewScore: 8,
    reviewCount: 120,
    rates: [
      {
        id: "rat_cheap_double",
        totalAmount: "123.45",
        totalCurrency: "USD",
        boardType: "room_only",
        roomName: "Double",
        beds: [{ type: "double", count: 1 }],
        cancellationPolicy: {
          refundable: true,
          timeline: [
            { before: "2027-01-10T12:00:00Z", refundAmount: "123.45", currency: "USD" },
            { before: "2027-01-18T12:00:00Z", refundAmount: "50.00", currency: "USD" },
          ],
        },
        dueAtAccommodationAmount: null,
        dueAtAccommodationCurrency: null,
      },
      expect.objectContaining({ id: "rat_cheap_suite", totalAmount: "999.00", roomName: "Suite" }),
    ],
    expiresAt: "2026-11-20T10:30:00Z",
  });
  expect(duffel.requests[0]?.body).toEqual({
    data: {
      rooms: 1,
      guests: [{ type: "adult" }, { type: "adult" }, { type: "child", age: 6 }],
      check_in_date: "2027-01-19",
      check_out_date: "2027-01-22",
      location: { radius: 10, geographic_coordinates: { latitude: 38.7, longitude: -9.1 } },
    },
  });
  expect(duffel.requests).toHaveLength(4);
});

test("a place without rates makes room for the next one", async () => {
  const stays = [wireStay("a", 9, "100.00"), wireStay("b", 8, "100.00"), wireStay("c", 7, "100.00")];
  await using duffel = await startDuffel((request) => {
    if (request.path === "/stays/search") return { status: 200, json: { data: { results: stays } } };
    const stay = stays.find(({ id }) => request.path.includes(`/${id}/`));
    if (stay === undefined || request.path === fetchPath("a")) return { status: 404, json: { errors: [] } };
    return { status: 200, json: { data: withRates(stay, "100.00") } };
  });
  const { accommodations: found } = await duffel.stays.searchAccommodations(query, 2);
  expect(found.map((place) => place.id)).toEqual(["acc_b", "acc_c"]);
});

test("no place is an empty list; if no rate can be fetched, the supplier is unavailable", async () => {
  let results: unknown[] = [];
  await using duffel = await startDuffel((request) =>
    request.path === "/stays/search" ? { status: 200, json: { data: { results } } } : { status: 500, text: "<html>" },
  );
  expect(await duffel.stays.searchAccommodations(query, 6)).toEqual({ accommodations: [], found: [] });
  results = [wireStay("a", 9, "100.00")];
  await expect(duffel.stays.searchAccommodations(query, 6)).rejects.toMatchObject({ code: "provider_unavailable" });
});
