import type { Order, Rate, ShownStay } from "../state/results.ts";
import type { Speaker } from "./speaker.ts";

export function showStays(shown: readonly ShownStay[], speaker: Speaker): string {
  return shown
    .map(({ stay, rate }, index) => {
      const facts = [
        speaker.price(rate.totalAmount, rate.totalCurrency, rate.totalUsdc),
        stay.starRating == null ? "" : speaker.say("starCount", { stars: speaker.words.number(stay.starRating) }),
        stay.reviewScore == null ? "" : speaker.say("score", { score: speaker.words.number(stay.reviewScore) }),
        stay.distanceMeters == null
          ? ""
          : `${speaker.words.number(stay.distanceMeters / 1000, { maximumFractionDigits: 1, minimumFractionDigits: 1 })} km`,
        rate.roomName ?? "",
        showBoard(rate, speaker),
        showRefund(rate, speaker),
      ];
      return `${index + 1}. ${stay.name} · ${facts.filter((fact) => fact !== "").join(" · ")}`;
    })
    .join("\n");
}

const BOARDS = {
  room_only: "roomOnly",
  breakfast: "breakfast",
  half_board: "halfBoard",
  full_board: "fullBoard",
  all_inclusive: "allInclusive",
} as const;

export function showBoard({ boardType }: Rate, speaker: Speaker): string {
  const known = Object.entries(BOARDS).find(([name]) => name === boardType)?.[1];
  return known === undefined ? "" : speaker.say(known);
}

export function showRefund({ refundable, fullRefundUntil }: Rate, speaker: Speaker): string {
  if (refundable !== true) return speaker.say("noRefund");
  return fullRefundUntil == null
    ? speaker.say("refundable")
    : speaker.say("freeUntil", { date: speaker.day(fullRefundUntil.slice(0, 10)) });
}

/** "ZZSTT4 · MAD to FCO · Wed, 6 Jan 2027 · confirmed · $173.31" */
export function showOrder(order: Order, speaker: Speaker): string {
  const states: Readonly<Record<string, string>> = {
    confirmed: speaker.say("confirmed"),
    held: speaker.say("held"),
    cancelled: speaker.say("isCancelled"),
  };
  const ticketing =
    order.status !== "confirmed" || order.ticketing == null
      ? ""
      : speaker.say(order.ticketing === "ticketed" ? "ticketed" : "ticketPending");
  return [
    order.pnr ?? "",
    (order.what ?? "").replaceAll(" to ", " → "),
    [order.startsOn, order.endsOn]
      .flatMap((day) => (day == null ? [] : [speaker.day(day)]))
      .filter((day, index, days) => days.indexOf(day) === index)
      .join(" – "),
    states[order.status] ?? order.status,
    ticketing,
    order.totalAmount == null || order.totalCurrency == null
      ? ""
      : speaker.price(order.totalAmount, order.totalCurrency, order.totalUsdc),
  ]
    .filter((part) => part !== "")
    .join(" · ");
}
