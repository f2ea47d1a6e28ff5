import { expect, it } from "vitest";
import type { ModelMessage } from "../../ports/language-model.ts";
import { createRulesModel } from "./index.ts";

const NOW = Temporal.Instant.from("2026-11-27T09:00:00Z");
const SEGMENT = {
  flightNumber: "LA2752",
  origin: "BOG",
  destination: "LIM",
  departingAt: "2027-04-05T11:05:00",
  arrivingAt: "2027-04-05T14:10:00",
};
const OFFER = {
  id: "off_1",
  totalAmount: "90.00",
  totalCurrency: "USD",
  slices: [{ origin: "BOG", destination: "LIM", segments: [SEGMENT] }],
};
const BOOKED = {
  orderId: "ord_1",
  pnr: "ZZBBBB",
  totalAmount: "90.00",
  totalCurrency: "USD",
  slices: [{ origin: "BOG", destination: "LIM", departingAt: SEGMENT.departingAt }],
};

async function ask(messages: readonly ModelMessage[]) {
  const request = {
    ...{ instructions: "", locale: "en", now: NOW, timeZone: "UTC", tools: [], maximumOutputTokens: 1000 },
    traveler: { userId: "user_demo", givenName: "Demo", companions: [] },
    messages: [...messages],
  };
  const parts = await Array.fromAsync(createRulesModel().step(request, new AbortController().signal));
  return {
    text: parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join(""),
    calls: parts.flatMap((part) => (part.type === "toolCall" ? [{ name: part.name, args: part.args }] : [])),
  };
}

const said = (text: string): ModelMessage => ({ role: "user", text, at: NOW });
const called = (name: string, args: object, result: unknown): readonly ModelMessage[] => [
  { role: "assistant", text: "", toolCalls: [{ id: name, name, args: { ...args } }] },
  { role: "tools", results: [{ id: name, name, outcome: "ok", result }] },
];

it.each([
  ["flight from Bogota to Lima on 5 April, back on 10 April", "then the hotel in Miraflores", /ZZBBBB/],
  ["Flug von Bogotá nach Lima am 5. April, zurück am 10. April", "danach das Hotel in Miraflores", /ZZBBBB/],
  ["vuelo de Bogotá a Lima el 5 de abril, vuelta el 10 de abril", "luego el hotel en Miraflores", /ZZBBBB/],
])("a wish behind a yes comes after the end of what the yes has run: %s, %s", async (flight, further, reference) => {
  const before: readonly ModelMessage[] = [
    said(flight),
    ...called("search_flights", { origin: "BOG", destination: "LIM" }, { searchId: "sea_1", offers: [OFFER] }),
    { role: "assistant", text: "1.", toolCalls: [] },
    said("1"),
    ...called("book_flight", { offerId: "off_1" }, BOOKED),
    said(further),
  ];
  const first = await ask(before);
  expect(first.calls).toMatchObject([
    { name: "search_hotels", args: { checkInDate: "2027-04-05", checkOutDate: "2027-04-10" } },
  ]);
  const stay = {
    id: "acc_1",
    name: "Hotel A",
    rates: [{ id: "rat_1", totalAmount: "100.00", totalCurrency: "USD" }],
  };
  const hotels = { searchId: "sea_2", accommodations: [stay] };
  const found = [...before, ...called("search_hotels", Object(first.calls[0]?.args), hotels)];
  const second = await ask(found);
  expect(second.calls).toMatchObject([{ name: "search_more_stays", args: { order: "distance" } }]);
  const then = await ask([...found, ...called("search_more_stays", Object(second.calls[0]?.args), hotels)]);
  expect(then.text).toMatch(reference);
  expect(then.text).toContain("Hotel A");
});
