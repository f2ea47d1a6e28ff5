import { z } from "zod";

/** Only these members of tools' results are read, and their texts are only ever shown. */
const Text = z.string();
const Maybe = z.string().nullish();
const Segment = z.looseObject({
  carrier: Maybe,
  flightNumber: Text,
  origin: Text,
  destination: Text,
  departingAt: Text,
  arrivingAt: Text,
});
const Slice = z.looseObject({
  origin: Text,
  destination: Text,
  durationMinutes: z.number().nullish(),
  segments: z.array(Segment),
});
const Condition = z
  .looseObject({ allowed: z.boolean().nullish(), penaltyAmount: Maybe, penaltyCurrency: Maybe })
  .nullish();
const Conditions = z.looseObject({ refundBeforeDeparture: Condition, changeBeforeDeparture: Condition }).nullish();

const Fare = z.looseObject({
  id: Text,
  name: Maybe,
  totalAmount: Text,
  refundable: z.boolean().nullish(),
  refundPenaltyAmount: Maybe,
  changeable: z.boolean().nullish(),
  changePenaltyAmount: Maybe,
});
export const FlightOffer = z.looseObject({
  id: Text,
  totalAmount: Text,
  totalCurrency: Text,
  owner: z.looseObject({ iataCode: Maybe, name: Maybe }).nullish(),
  cabinClass: Maybe,
  checkedBags: z.number().nullish(),
  slices: z.array(Slice).min(1),
  conditions: Conditions,
  fares: z.array(Fare).nullish(),
  passengers: z.array(z.looseObject({ type: Maybe, age: z.number().nullish() })).nullish(),
});
export type FlightOffer = z.output<typeof FlightOffer>;
export const FlightAnswer = z.looseObject({
  offers: z.array(z.unknown()),
  searchId: Maybe,
  emptiedBy: z.array(z.unknown()).nullish(),
});

export const Rate = z.looseObject({
  id: Text,
  totalAmount: Text,
  totalCurrency: Text,
  totalUsdc: Maybe,
  roomName: Maybe,
  boardType: Maybe,
  refundable: z.boolean().nullish(),
  fullRefundUntil: Maybe,
});
export type Rate = z.output<typeof Rate>;
export const Stay = z.looseObject({
  id: Text,
  name: Text,
  starRating: z.number().nullish(),
  reviewScore: z.number().nullish(),
  distanceMeters: z.number().nullish(),
  rates: z.array(Rate).min(1),
});
export type Stay = z.output<typeof Stay>;
/** A stay with the one of its rates that is shown. */
export interface ShownStay {
  readonly stay: Stay;
  readonly rate: Rate;
}
export const StayAnswer = z.looseObject({
  accommodations: z.array(z.unknown()),
  searchId: Maybe,
  location: z.looseObject({ label: Maybe, unknownPart: Maybe }).nullish(),
});

export const ChangeOffer = z.looseObject({
  id: Text,
  changeTotalAmount: Text,
  changeTotalCurrency: Text,
  slices: z.looseObject({ add: z.array(Slice).min(1) }),
});
export type ChangeOffer = z.output<typeof ChangeOffer>;
export const ChangeAnswer = z.looseObject({ orderId: Text, offers: z.array(z.unknown()) });
export const SelectedChange = z.looseObject({
  changeId: Text,
  orderId: Maybe,
  due: z.looseObject({ amount: Text, currency: Text }),
});

const orderFields = {
  orderId: Text,
  kind: z.enum(["flight", "stay"]),
  status: Text,
  pnr: Maybe,
  ticketing: Maybe,
  totalAmount: Maybe,
  totalCurrency: Maybe,
  totalUsdc: Maybe,
};
export const Order = z.looseObject({
  ...orderFields,
  what: Maybe,
  startsOn: Maybe,
  endsOn: Maybe,
});
export type Order = z.output<typeof Order>;
export const OrderList = z.looseObject({ orders: z.array(z.unknown()) });
const Bag = z.looseObject({ type: Maybe, quantity: z.number().nullish() });
const OrderSegment = Segment.extend({
  passengers: z.array(z.looseObject({ baggage: z.array(Bag).nullish() })).nullish(),
});
const OrderSlice = Slice.extend({ id: Text, segments: z.array(OrderSegment) });
export const OrderDetails = z.looseObject({
  ...orderFields,
  flight: z
    .looseObject({
      slices: z.array(OrderSlice).nullish(),
      timeZones: z.record(Text, Text).nullish(),
      conditions: Conditions,
    })
    .nullish(),
  stay: z
    .looseObject({
      accommodationName: Maybe,
      accommodationAddress: Maybe,
      accommodationPhone: Maybe,
      name: Maybe,
      checkInDate: Maybe,
      checkOutDate: Maybe,
    })
    .nullish(),
  tickets: z.array(z.looseObject({ number: Maybe })).nullish(),
});

export type OrderDetails = z.output<typeof OrderDetails>;

export const BookedFlight = z.looseObject({
  orderId: Text,
  pnr: Maybe,
  totalAmount: Text,
  totalCurrency: Text,
  slices: z.array(z.looseObject({ origin: Text, destination: Text, departingAt: Maybe })).nullish(),
});
export const BookedStay = z.looseObject({
  orderId: Text,
  chargedUsdc: Maybe,
  reference: Maybe,
  accommodationName: Maybe,
  checkInDate: Text,
  checkOutDate: Text,
  totalAmount: Text,
  totalCurrency: Text,
});
export const Quote = z.looseObject({
  id: Text,
  totalAmount: Text,
  totalCurrency: Text,
  accommodation: z.looseObject({ name: Maybe, address: Maybe }).nullish(),
});
export const CancelQuote = z.looseObject({
  cancellationId: Text,
  orderId: Text,
  refundAmount: Maybe,
  refundCurrency: Maybe,
});
export const Cancelled = z.looseObject({
  orderId: Text,
  status: Maybe,
  refundAmount: Maybe,
  refundCurrency: Maybe,
  refundedUsdc: Maybe,
});
export const Changed = z.looseObject({
  orderId: Text,
  status: Maybe,
  slices: z.array(Slice).nullish(),
  chargedUsdc: Maybe,
});

export const AirportList = z.looseObject({
  place: Maybe,
  airports: z.array(z.looseObject({ iataCode: Text, cityName: Maybe, countryCode: Maybe })),
});
export const Candidates = z.looseObject({
  candidates: z.array(
    z.looseObject({ latitude: z.number(), longitude: z.number(), label: Maybe, timeZone: Maybe, countryCode: Maybe }),
  ),
});
export const TravelerList = z.looseObject({
  travelers: z.array(
    z.looseObject({
      userId: Text,
      isCaller: z.boolean().nullish(),
      profile: z.looseObject({
        givenName: Maybe,
        familyName: Maybe,
        email: Maybe,
        bornOn: Maybe,
        passports: z.array(z.looseObject({ nationality: Maybe })).nullish(),
      }),
    }),
  ),
});
export const TripList = z.looseObject({ trips: z.array(z.unknown()) });
export const Trip = z.looseObject({
  tripId: Text,
  tripSummary: Maybe,
  state: Maybe,
  budgetUsdc: Maybe,
  availableUsdc: Maybe,
  freeUsdc: Maybe,
});
export const FxQuote = z.looseObject({ fromCurrency: Text, toCurrency: Text, rate: Text });
export const Problem = z.looseObject({ code: Maybe, detail: Maybe });

/** The members of a list that have the expected form; others are left out. */
export function readList<Item>(schema: z.ZodType<Item>, items: readonly unknown[]): Item[] {
  return items.flatMap((item) => {
    const parsed = schema.safeParse(item);
    return parsed.success ? [parsed.data] : [];
  });
}
