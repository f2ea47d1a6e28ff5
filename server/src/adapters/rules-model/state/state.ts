import type { ModelToolResult } from "../../../ports/language-model.ts";
import type { Maximum, Times } from "../reading/limits.ts";
import type { PersonDetails } from "../reading/personal.ts";
import type { Choice, Reading } from "../reading/read-message.ts";
import type { ChangeOffer, FlightOffer, Order, Stay } from "./results.ts";

export interface Place {
  readonly name: string;
  /** IATA code of a city or an airport, once it is known. */
  readonly code?: string;
  /** ISO 3166-1 alpha-2. */
  readonly country?: string;
  readonly isCountry: boolean;
}

/** Who travels; `adults` counts the caller. */
interface PartySlots {
  adults: number;
  children: number;
  ages: readonly number[];
}

export interface FlightSlots {
  origin?: Place;
  destination?: Place;
  departure?: Temporal.PlainDate;
  /** "Saturday or Sunday": the day that the other one is compared with. */
  otherDeparture?: Temporal.PlainDate;
  return?: Temporal.PlainDate;
  isRoundTrip: boolean;
  cabin?: string;
  maximum?: Maximum;
  times: Times;
  isNonStop: boolean;
  isRefundable: boolean;
  isChangeable: boolean;
  bags: number;
  airlines: readonly string[];
  sort?: string;
}

export interface StaySlots {
  city?: Place;
  /** A sight or a street near which the hotel is. */
  near?: string;
  /** It was named alone, and is taken for a part of the journey's city. */
  isDistrict?: boolean;
  checkIn?: Temporal.PlainDate;
  checkOut?: Temporal.PlainDate;
  nights?: number;
  rooms: number;
  maximum?: Maximum;
  isRefundable: boolean;
  isBoardWanted: boolean;
  /** In the words of the rooms' names. */
  room?: RoomType;
  isCentral: boolean;
  stars?: number;
  sort?: string;
  /** Wishes that the hotel is told with the booking. */
  requests: readonly string[];
}

export type RoomType = "double" | "twin" | "single" | "suite" | "family" | "superior";

/** An order that is to be changed or cancelled, as far as it was named. */
export interface OrderSlots {
  orderId?: string;
  kind?: "flight" | "stay";
  place?: Place;
  /** Names the order, or the day on which its journey is to be. */
  date?: Temporal.PlainDate;
  /** Names an order that is to be on another day. */
  before?: Temporal.PlainDate;
  isReturn: boolean;
  /** Days by which its journey is to move. */
  shift?: number;
  cabin?: string;
}

export type Wish =
  | {
      readonly kind:
        | "findFlights"
        | "moreFlights"
        | "bookFlight"
        | "flightConditions"
        | "findStays"
        | "moreStays"
        | "bookStay";
      readonly choice?: Choice;
      /** The hotel that is meant, as the list was when it was chosen. */
      readonly stayId?: string;
      /** A number of the list before was named, and another list is shown. */
      readonly isRenumbered?: boolean;
      readonly reading: Reading;
    }
  | {
      readonly kind: "changeOrder" | "chooseChange" | "cancelOrder" | "quoteCancel" | "showOrders";
      readonly choice?: Choice;
      readonly reading: Reading;
    }
  | {
      readonly kind:
        | "policy"
        | "treasury"
        | "visa"
        | "weather"
        | "timeNow"
        | "transfer"
        | "restaurant"
        | "reminder"
        | "usage"
        | "spent"
        | "emergency";
      readonly reading: Reading;
    }
  | {
      readonly kind:
        | "airlineCancelled"
        | "cancelPart"
        | "invoice"
        | "assistance"
        | "noHold"
        | "refund"
        | "paid"
        | "noted"
        | "invoiceLater"
        | "isBooked"
        | "meals"
        | "stranded";
      readonly reading: Reading;
    }
  | {
      readonly kind: "bookingFacts";
      readonly facts: readonly BookingFact[];
      /** "Which of my flights …?" */
      readonly isOfAll: boolean;
      readonly choice?: Choice;
      readonly reading: Reading;
    }
  | { readonly kind: "nothingCancelled"; readonly reading: Reading }
  | { readonly kind: "total"; readonly choice?: Choice; readonly reading: Reading }
  /** Repeats a call that was about to be made when the traveler asked something else. */
  | { readonly kind: "showAgain"; readonly deed: Deed; readonly reading: Reading }
  /** Something beside a yes that nobody here can do. */
  | { readonly kind: "airlineRequest" | "notTaken" | "stayFollows"; readonly reading: Reading }
  | { readonly kind: "cannot"; readonly what: readonly OtherKind[]; readonly reading: Reading }
  | {
      readonly kind:
        | "help"
        | "greet"
        | "thanks"
        | "bye"
        | "forget"
        | "accept"
        | "refuse"
        | "done"
        | "unknown"
        | "foreign";
      readonly reading: Reading;
    };

/** A fact about something that is booked. */
export type BookingFact = "bags" | "board" | "terminal" | "times";

/** A call that changes or spends something. */
export interface Deed {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Things that people ask a travel agent for, and that cannot be booked here. */
export const OTHER_KINDS = ["train", "bus", "car", "ferry", "insurance", "seat", "pet"] as const;
export type OtherKind = (typeof OTHER_KINDS)[number];

export type Task = "flight" | "stay" | "change" | "cancel" | "none";

/** All that was said and shown so far, as it follows from the messages. */
export interface State {
  language: "en" | "de" | "es" | undefined;
  /** How the traveler addresses us, as the texts have shown last. */
  address: "formal" | "informal" | undefined;
  task: Task;
  party: PartySlots;
  isPartyKnown: boolean;
  /** People such as "my wife", who come along and were not named with it. */
  relatives: number;
  /** Those who were named travel without the caller. */
  isCallerLeftOut: boolean;
  flight: FlightSlots;
  stay: StaySlots;
  order: OrderSlots;
  /** Named in the user's messages, of the companions of the request. */
  companions: Set<string>;
  /** Named in them, without a profile. */
  strangers: Set<string>;
  /** Members of their profiles, by name. */
  details: Map<string, PersonDetails>;
  /** The user ids of their profiles, once they are saved. */
  saved: Map<string, string>;
  /** The slot of the open question. */
  question: string | undefined;
  /** A call that was shown in the turn before and was not confirmed. */
  withdrawn: Deed | undefined;
  /** The same while the traveler only asks questions: a yes brings it back. */
  deed: Deed | undefined;
  /** The wish that needs the place, country or date that was asked for last. */
  pending: Wish | undefined;
  wishes: readonly Wish[];
  flights: { readonly offers: readonly FlightOffer[]; readonly searchId: string | undefined } | undefined;
  /** Lists of flights that were shown before, newest last, and with them those of now. */
  /** Journeys that were searched, oldest first. */
  plans: readonly FlightSlots[];
  earlierFlights: readonly (readonly FlightOffer[])[];
  /** The lowest price of each of the days that are compared. */
  dayPrices: ReadonlyMap<string, FlightOffer>;
  stays: { readonly stays: readonly Stay[]; readonly searchId: string | undefined } | undefined;
  changes: readonly ChangeOffer[] | undefined;
  /** Orders that this conversation has booked or listed, newest last. */
  orders: Order[];
  /** The ids of those that it has booked. */
  booked: Set<string>;
  /** Orders that were shown to choose among. */
  offeredOrders: readonly Order[];
  lastShown: "flights" | "stays" | "changes" | undefined;
  /** The choice among what is shown that was spoken of last, for "book it". */
  spoken: { readonly choice: Choice; readonly reading: Reading } | undefined;
  /** The flights of the offer that was chosen last: they are found again when the party changes. */
  picked: string | undefined;
  /** The hotel that was chosen last, whatever its number is in a list with other rates. */
  pickedStay: string | undefined;
  /** How many the flights that are shown are for. */
  seatsSearched: number | undefined;
  /** Assistance at the airport was spoken of, and answered. */
  isAssistanceTold: boolean;
  /** That pets cannot be booked was said. */
  arePetsTold: boolean;
  /** A stay is still to be found after the flight. */
  isStayNext: boolean;
  /** The value of currencies in US dollars, as tools have quoted them. */
  rates: Map<string, number>;
  visa: {
    nationality?: string;
    country?: string;
    date?: Temporal.PlainDate;
    end?: Temporal.PlainDate;
    isBusiness?: boolean;
  };
  /** The question about the world that was answered last, for "and in Lisbon?". */
  topic: Wish | undefined;
  way: { airport: Place | undefined; target: string | undefined };
  lastCity: Place | undefined;
  /** A place with its sight or street. */
  lastArea: string | undefined;
  /** The place spoken of last, for "and the weather there?". */
  lastPlace: Place | undefined;
  /** Results since the user's last message, with the arguments of their calls. */
  results: { readonly result: ModelToolResult; readonly args: unknown }[];
  openCalls: number;
}

export const newFlight = (): FlightSlots => ({
  isRoundTrip: false,
  times: {},
  isNonStop: false,
  isRefundable: false,
  isChangeable: false,
  bags: 0,
  airlines: [],
});
export const newStay = (): StaySlots => ({
  rooms: 1,
  isRefundable: false,
  isBoardWanted: false,
  isCentral: false,
  requests: [],
});

export const newState = (): State => ({
  language: undefined,
  address: undefined,
  task: "none",
  party: { adults: 1, children: 0, ages: [] },
  isPartyKnown: false,
  relatives: 0,
  isCallerLeftOut: false,
  flight: newFlight(),
  stay: newStay(),
  order: { isReturn: false },
  companions: new Set(),
  strangers: new Set(),
  details: new Map(),
  saved: new Map(),
  question: undefined,
  withdrawn: undefined,
  deed: undefined,
  pending: undefined,
  wishes: [],
  flights: undefined,
  plans: [],
  earlierFlights: [],
  dayPrices: new Map(),
  stays: undefined,
  changes: undefined,
  orders: [],
  booked: new Set(),
  offeredOrders: [],
  lastShown: undefined,
  spoken: undefined,
  picked: undefined,
  pickedStay: undefined,
  seatsSearched: undefined,
  isAssistanceTold: false,
  arePetsTold: false,
  isStayNext: false,
  rates: new Map(),
  visa: {},
  topic: undefined,
  way: { airport: undefined, target: undefined },
  lastCity: undefined,
  lastArea: undefined,
  lastPlace: undefined,
  results: [],
  openCalls: 0,
});
