import type { SimulatorName } from "../../ports/simulators.ts";

/** The faults that the simulators take, in words (`sandbox/`, `attester/` and `carriers/` explain each). */

interface Spot {
  readonly simulator: SimulatorName;
  readonly says: string;
  readonly method?: "GET" | "POST";
  /** A step in braces stands for an id. */
  readonly path: string;
}

/** Where a fault can be armed. */
export const SPOTS = {
  search_flights: { simulator: "supplier", says: "Searching flights", method: "POST", path: "/air/offer_requests" },
  read_offer: { simulator: "supplier", says: "Reading an offer", method: "GET", path: "/air/offers/{id}" },
  book_flight: { simulator: "supplier", says: "Ordering a flight", method: "POST", path: "/air/orders" },
  pay_flight: { simulator: "supplier", says: "Paying a held flight", method: "POST", path: "/air/payments" },
  add_services: { simulator: "supplier", says: "Adding bags", method: "POST", path: "/air/orders/{id}/services" },
  cancel_flight: {
    simulator: "supplier",
    says: "Cancelling a flight",
    method: "POST",
    path: "/air/order_cancellations/{id}/actions/confirm",
  },
  change_flight: {
    simulator: "supplier",
    says: "Changing a flight",
    method: "POST",
    path: "/air/order_changes/{id}/actions/confirm",
  },
  search_stays: { simulator: "supplier", says: "Searching stays", method: "POST", path: "/stays/search" },
  quote_stay: { simulator: "supplier", says: "Quoting a stay", method: "POST", path: "/stays/quotes" },
  book_stay: { simulator: "supplier", says: "Booking a stay", method: "POST", path: "/stays/bookings" },
  cancel_stay: {
    simulator: "supplier",
    says: "Cancelling a stay",
    method: "POST",
    path: "/stays/bookings/{id}/actions/cancel",
  },
  attest_burn: {
    simulator: "attester",
    says: "Attesting money that left a chain",
    method: "GET",
    path: "/v2/messages",
  },
  attest_gateway: {
    simulator: "attester",
    says: "Attesting a transfer of the Gateway",
    method: "POST",
    path: "/v1/transfer",
  },
  write_slack: { simulator: "carriers", says: "Writing in Slack", path: "/slack/api" },
  hear_slack: { simulator: "carriers", says: "Hearing from Slack", path: "/_events/slack" },
  write_whatsapp: { simulator: "carriers", says: "Writing on WhatsApp", path: "/whatsapp/api" },
  hear_whatsapp: { simulator: "carriers", says: "Hearing from WhatsApp", path: "/_events/whatsapp" },
  whatsapp_webhook: { simulator: "carriers", says: "Webhooks of WhatsApp", path: "/_webhooks/whatsapp" },
} as const satisfies Readonly<Record<string, Spot>>;

export type SpotName = keyof typeof SPOTS;
export const spotNames = Object.keys(SPOTS).filter((name): name is SpotName => Object.hasOwn(SPOTS, name));

const SALES = ["book_flight", "pay_flight", "quote_stay", "book_stay"] as const;
const PRICED = [...SALES, "read_offer", "cancel_flight", "change_flight"] as const;
const COMMITS = ["book_flight", "pay_flight", "cancel_flight", "change_flight"] as const;
const STAY_COMMITS = ["book_stay", "cancel_stay"] as const;
const TICKETED = ["book_flight", "pay_flight"] as const;
const SUPPLIED = spotNames.filter((name) => SPOTS[name].simulator === "supplier");
const ATTESTED = ["attest_burn", "attest_gateway"] as const;
const WRITING = ["write_slack", "write_whatsapp"] as const;
const HEARING = ["hear_slack", "hear_whatsapp"] as const;

interface FaultKind {
  readonly says: string;
  readonly at: readonly SpotName[];
  /** Makes the simulator refuse everybody for a while, or the service stop asking it. */
  readonly isForAll?: true;
}

const EVERY_COMMIT: readonly SpotName[] = [...COMMITS, ...STAY_COMMITS];

/** By simulator, as names repeat. */
const FAULTS: Readonly<Record<SimulatorName, Readonly<Record<string, FaultKind>>>> = {
  supplier: {
    timeout: { says: "No answer comes, and nothing is done", at: SUPPLIED },
    http_500: { says: "An internal error, and nothing is done", at: SUPPLIED },
    http_503: { says: "It is unavailable, and nothing is done", at: SUPPLIED },
    reset_after_effect: { says: "It is done, then the connection breaks", at: SUPPLIED },
    truncated_json: { says: "It is done, and half an answer comes", at: SUPPLIED },
    hostile_texts: { says: "Names and descriptions contain commands and control characters", at: SUPPLIED },
    late_effect: { says: "No answer comes; it is done after the delay", at: SUPPLIED },
    not_enabled: { says: "The account may not do this, in plain text", at: SUPPLIED },
    numeric_code: { says: "It is refused with a number for a code", at: SUPPLIED },
    airline_unknown: { says: "The airline refuses without a reason", at: SUPPLIED },
    rate_limited: { says: "Too many requests, until the delay has passed", at: SUPPLIED, isForAll: true },
    price_changed: { says: "The price has changed", at: PRICED },
    offer_expired: { says: "The offer has expired", at: PRICED },
    sold_out: { says: "It is sold out", at: SALES },
    insufficient_balance: { says: "The supplier's balance does not cover it", at: [...SALES, "change_flight"] },
    ticketing_failed: { says: "The airline refuses to issue tickets, and refunds", at: TICKETED },
    ticketing_delayed: { says: "Tickets come after the delay", at: TICKETED },
    accepted_then_done: { says: "Accepted, and done after the delay", at: EVERY_COMMIT },
    accepted_then_failed: { says: "Accepted, and never done", at: EVERY_COMMIT },
    service_taken: { says: "Somebody else has the seat", at: ["book_flight", "add_services"] },
    refund_as_credit: { says: "The airline refunds a credit in place of money", at: ["cancel_flight"] },
  },
  attester: {
    away: { says: "It is unavailable", at: ATTESTED },
    reset: { says: "The connection breaks after it was done", at: ATTESTED },
    slow: { says: "It answers after the delay", at: ATTESTED },
    contradicting: { says: "Attested, but shown as pending", at: ["attest_burn"] },
    altered: { says: "Another amount than the signed one", at: ["attest_burn"] },
    late: { says: "Nothing is seen until the delay has passed", at: ["attest_burn"] },
    rate_limited: { says: "Too many requests, until the delay has passed", at: ATTESTED, isForAll: true },
  },
  carriers: {
    away: { says: "It is unavailable, and nothing is sent", at: WRITING },
    lost_answer: { says: "It is sent, and the answer says that it is not", at: WRITING },
    reset: { says: "It is sent, then the connection breaks", at: WRITING },
    never_delivered: { says: "Accepted, and nobody sees it", at: WRITING },
    rate_limited: { says: "Too many messages", at: WRITING },
    duplicated: { says: "The event comes twice", at: HEARING },
    late: { says: "The event comes after the next one", at: HEARING },
    lost: { says: "The event never comes", at: ["whatsapp_webhook"] },
    old: { says: "The event claims to be eight days old", at: ["whatsapp_webhook"] },
    forged: { says: "The event is signed with another secret", at: ["whatsapp_webhook"] },
  },
};

/** The kind of fault, if it can be armed there. */
export function findFault(spot: SpotName, fault: string): FaultKind | undefined {
  const kinds = FAULTS[SPOTS[spot].simulator];
  const kind = Object.hasOwn(kinds, fault) ? kinds[fault] : undefined;
  return kind?.at.includes(spot) === true ? kind : undefined;
}

/** Everything that can be armed, for a form. */
export function listSpots() {
  return spotNames.map((spot) => {
    const { simulator, says } = SPOTS[spot];
    const faults = Object.entries(FAULTS[simulator]).flatMap(([fault, { says: words, at, isForAll = false }]) =>
      at.includes(spot) ? [{ fault, says: words, isForAll }] : [],
    );
    return { at: spot, simulator, says, faults };
  });
}

/** Undefined: it was armed in another way. */
export function findSpot(simulator: SimulatorName, path: string): SpotName | undefined {
  return spotNames.find((name) => SPOTS[name].simulator === simulator && SPOTS[name].path === path);
}
