// The price of a room, and its cancellation deadlines.
import { toIso } from "../clock.ts";
import { currencyOfCountry, exchange, formatIn, roundIn } from "../currencies.ts";
import { chance, pickWhole } from "../hash.ts";
import { derivedId } from "../ids.ts";
import { applyPermille, toCents, wholeUnits } from "../money.ts";
import type { Hotel } from "./hotels.ts";
import type { NegotiatedRate, StaySearch } from "./search.ts";

/** Price levels of hotels, permille; countries that are not listed are cheaper than these. */
const COUNTRY_PERMILLE: Readonly<Record<string, number>> = {
  CH: 1750,
  IS: 1550,
  US: 1400,
  GB: 1350,
  NO: 1400,
  DK: 1350,
  SG: 1350,
  MC: 1800,
  MV: 1800,
  BS: 1600,
  BM: 1800,
  IE: 1300,
  AU: 1250,
  NZ: 1150,
  FR: 1250,
  NL: 1300,
  SE: 1200,
  FI: 1150,
  JP: 1100,
  HK: 1200,
  CA: 1200,
  AE: 1150,
  QA: 1100,
  IL: 1350,
  DE: 1100,
  AT: 1150,
  BE: 1100,
  LU: 1250,
  IT: 1150,
  ES: 1000,
  PT: 950,
  GR: 950,
  KR: 950,
  TW: 850,
  SA: 1000,
  KW: 1050,
  BH: 950,
  MU: 1100,
  SC: 1500,
  CZ: 850,
  PL: 780,
  HU: 780,
  EE: 820,
  HR: 950,
  SI: 900,
  MT: 950,
  CY: 950,
  CL: 800,
  UY: 850,
  BR: 750,
  AR: 750,
  MX: 800,
  CN: 750,
  ZA: 700,
  TR: 700,
  MA: 700,
};
const OTHER_COUNTRIES_PERMILLE = 620;
const NIGHTLY_BY_RATING = [0, 48, 66, 94, 150, 285] as const;
const MONTHS_NORTH = [850, 870, 940, 1000, 1060, 1130, 1180, 1160, 1070, 1010, 900, 1000] as const;
const TAX_PERMILLE = 110;
const HOUR_MS = 3_600_000;

type RoomType = { name: string; permille: number; beds: { type: string; count: number }[]; fromRating: number };
const ROOM_TYPES: readonly RoomType[] = [
  { name: "Standard Double Room", permille: 1000, beds: [{ type: "double", count: 1 }], fromRating: 1 },
  { name: "Superior Twin Room", permille: 1180, beds: [{ type: "single", count: 2 }], fromRating: 2 },
  { name: "Deluxe King Room", permille: 1420, beds: [{ type: "king", count: 1 }], fromRating: 3 },
  {
    name: "Suite",
    permille: 2050,
    beds: [
      { type: "king", count: 1 },
      { type: "sofabed", count: 1 },
    ],
    fromRating: 4,
  },
];

type Plan = {
  code: string;
  name: string;
  board: string;
  permille: number;
  boardPerGuestNight: number;
  refundable: boolean;
  fromRating: number;
};
const PLANS: readonly Plan[] = [
  {
    code: "RO-NR",
    name: "Room only, non-refundable",
    board: "room_only",
    permille: 870,
    boardPerGuestNight: 0,
    refundable: false,
    fromRating: 1,
  },
  {
    code: "RO-FLEX",
    name: "Room only, flexible",
    board: "room_only",
    permille: 1000,
    boardPerGuestNight: 0,
    refundable: true,
    fromRating: 1,
  },
  {
    code: "BB-FLEX",
    name: "Breakfast included, flexible",
    board: "breakfast",
    permille: 1000,
    boardPerGuestNight: 14,
    refundable: true,
    fromRating: 2,
  },
  {
    code: "HB-FLEX",
    name: "Half board, flexible",
    board: "half_board",
    permille: 1000,
    boardPerGuestNight: 42,
    refundable: true,
    fromRating: 4,
  },
];

/** The plan of an operator with an agreement, in place of the flexible room-only rate. */
const NEGOTIATED_PLAN: Plan = {
  code: "NEG-FLEX",
  name: "Negotiated rate, flexible",
  board: "room_only",
  permille: 820,
  boardPerGuestNight: 0,
  refundable: true,
  fromRating: 1,
};

export type Rate = {
  readonly id: string;
  readonly roomIndex: number;
  readonly plan: Plan;
  readonly negotiated: NegotiatedRate | null;
  readonly currency: string;
  readonly totalMicro: bigint;
  readonly taxMicro: bigint;
  readonly dueAtHotelMicro: bigint;
  readonly timeline: readonly { beforeMs: number; refundMicro: bigint }[];
  readonly quantity: number;
};

export function listRoomTypes(hotel: Hotel): readonly RoomType[] {
  return ROOM_TYPES.filter((room) => hotel.rating >= room.fromRating);
}

function listNights(search: StaySearch): readonly Temporal.PlainDate[] {
  const first = Temporal.PlainDate.from(search.checkIn);
  const count = first.until(Temporal.PlainDate.from(search.checkOut)).days;
  return Array.from({ length: count }, (_, index) => first.add({ days: index }));
}

function nightPrice(seed: string, hotel: Hotel, night: Temporal.PlainDate): bigint {
  const population = hotel.city?.population ?? 0;
  const month = hotel.position.lat < -10 ? (night.month + 5) % 12 : night.month - 1;
  const factors = [
    COUNTRY_PERMILLE[hotel.country] ?? OTHER_COUNTRIES_PERMILLE,
    population > 3_000_000 ? 1250 : population > 800_000 ? 1100 : 950,
    MONTHS_NORTH[month] ?? 1000,
    night.dayOfWeek === 5 || night.dayOfWeek === 6 ? 1100 : 1000,
    860 + Math.floor(chance(seed, "level", hotel.id) * 340),
    970 + Math.floor(chance(seed, "night", hotel.id, night.toString()) * 90),
  ];
  return factors.reduce(applyPermille, wholeUnits(NIGHTLY_BY_RATING[hotel.rating] ?? 94));
}

/** Guests beyond two in a room pay a quarter more each, children half of that. */
function occupancyPermille(search: StaySearch): number {
  const adults = search.guests.filter((guest) => guest.age === null).length;
  const children = search.guests.length - adults;
  const beyond = Math.max(0, adults + children - 2 * search.rooms);
  const extraChildren = Math.min(children, beyond);
  return 1000 + 125 * extraChildren + 250 * (beyond - extraChildren);
}

/** Full refund until a deadline before arrival, then half of it until the day before, in the hotel's own time. */
function buildTimeline(seed: string, hotel: Hotel, search: StaySearch, totalMicro: bigint): Rate["timeline"] {
  const arrival = Temporal.PlainDate.from(search.checkIn)
    .toPlainDateTime({ hour: 18 })
    .toZonedDateTime(hotel.timeZone).epochMilliseconds;
  const freeDays = pickWhole(1, 5, seed, "free-days", hotel.id);
  const steps = [
    { beforeMs: arrival - (freeDays + 1) * 24 * HOUR_MS, refundMicro: totalMicro },
    { beforeMs: arrival - 24 * HOUR_MS, refundMicro: roundIn(currencyOfCountry(hotel.country), totalMicro / 2n) },
  ];
  return steps.filter((step) => step.beforeMs > search.createdAtMs);
}

export function isSoldOut(seed: string, hotel: Hotel, search: StaySearch): boolean {
  if (hotel.name.startsWith("Test Hotel")) return false;
  return chance(seed, "sold-out", hotel.id, search.checkIn) > 0.94;
}

/** The agreed rates that the search named and that hold at this hotel. */
export function negotiatedFor(hotel: Hotel, search: StaySearch): readonly NegotiatedRate[] {
  return search.negotiatedRates.filter(
    (agreed) =>
      agreed.accommodationIds.includes(hotel.id) || (hotel.chain !== null && agreed.chainId === hotel.chain.id),
  );
}

/** Every rate of a hotel for a search, cheapest room first. */
export function listRates(seed: string, hotel: Hotel, search: StaySearch, place: number): readonly Rate[] {
  const nights = listNights(search);
  const roomNights = nights.reduce((sum, night) => sum + nightPrice(seed, hotel, night), 0n) * BigInt(search.rooms);
  const currency = currencyOfCountry(hotel.country);
  const rates: Rate[] = [];
  for (const [roomIndex, room] of listRoomTypes(hotel).entries()) {
    const offered = [
      ...PLANS.map((plan) => ({ plan, negotiated: null })),
      ...negotiatedFor(hotel, search).map((negotiated) => ({ plan: NEGOTIATED_PLAN, negotiated })),
    ];
    for (const { plan, negotiated } of offered) {
      if (hotel.rating < plan.fromRating) continue;
      const board = wholeUnits(plan.boardPerGuestNight * search.guests.length * nights.length);
      const roomPrice = [room.permille, plan.permille, occupancyPermille(search)].reduce(applyPermille, roomNights);
      const totalMicro = exchange(toCents(roomPrice + board), "USD", currency);
      const cityTax = hotel.country === "FR" || hotel.country === "IT" || hotel.country === "ES" ? 3 : 0;
      const timeline = plan.refundable ? buildTimeline(seed, hotel, search, totalMicro) : [];
      if (search.freeCancellationOnly && timeline[0]?.refundMicro !== totalMicro) continue;
      rates.push({
        id: derivedId("rat", search.core, place, rates.length),
        roomIndex,
        plan,
        negotiated,
        currency,
        totalMicro,
        taxMicro: roundIn(currency, applyPermille(totalMicro, TAX_PERMILLE)),
        dueAtHotelMicro: exchange(wholeUnits(cityTax * search.guests.length * nights.length), "USD", currency),
        timeline,
        quantity: pickWhole(1, 9, seed, "quantity", hotel.id, room.name, search.checkIn),
      });
    }
  }
  return rates;
}

export function renderRate(rate: Rate, hotel: Hotel, expiresAtMs: number) {
  const base = rate.totalMicro - rate.taxMicro;
  return {
    id: rate.id,
    code: rate.plan.code,
    name: rate.negotiated?.displayName ?? rate.plan.name,
    description: null,
    base_amount: formatIn(rate.currency, base),
    base_currency: rate.currency,
    tax_amount: formatIn(rate.currency, rate.taxMicro),
    tax_currency: rate.currency,
    fee_amount: formatIn(rate.currency, 0n),
    fee_currency: rate.currency,
    total_amount: formatIn(rate.currency, rate.totalMicro),
    total_currency: rate.currency,
    public_amount: null,
    public_currency: null,
    due_at_accommodation_amount: formatIn(rate.currency, rate.dueAtHotelMicro),
    due_at_accommodation_currency: rate.currency,
    board_type: rate.plan.board,
    payment_type: "pay_now",
    available_payment_methods: ["balance"],
    cancellation_timeline: rate.timeline.map((step) => ({
      before: toIso(step.beforeMs),
      refund_amount: formatIn(rate.currency, step.refundMicro),
      currency: rate.currency,
    })),
    conditions: [{ title: "Sandbox", description: "An invented rate of an invented hotel." }],
    quantity_available: rate.quantity,
    supported_loyalty_programme: hotel.chain?.loyaltyProgramme ?? null,
    loyalty_programme_required: false,
    estimated_commission_amount: null,
    estimated_commission_currency: null,
    negotiated_rate_id: rate.negotiated?.id ?? null,
    source: "duffel_hotel_group",
    expires_at: toIso(expiresAtMs),
  };
}
