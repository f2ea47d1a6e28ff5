import { z } from "zod";
import { Failure } from "../../domain/errors.ts";
import { DecimalAmount, wordsOfOthers } from "../../domain/schemas.ts";
import { Slice } from "../../domain/travel/offer-schema.ts";
import { OfferAnswer } from "../flights/index.ts";
import { DeepLinks, MINUTES_TO_EXIT } from "../maps/index.ts";
import { ShownTraveler } from "../orders/index.ts";
import { ChangePrice } from "../servicing/index.ts";
import { AccommodationAnswer, AccommodationPicks } from "../stays/index.ts";

/** A failed part gives its reason; the others hold. */
const Marked = z.object({
  available: z.boolean(),
  reason: z.string().nullable().describe("Why it is not available, or what to know about it"),
});

/** The call that accepts a proposal. */
export const NextCall = z.object({ tool: z.string(), args: z.record(z.string(), z.unknown()) });

export const AlternativesAnswer = Marked.extend({
  offers: z
    .array(
      OfferAnswer.omit({ privateFares: true, availableAirlineCreditIds: true }).extend({
        differenceAmount: DecimalAmount.nullable().describe(
          "totalAmount less change.order.returnedAmount; null: not known, or the order has other flights",
        ),
        fewerBags: z.string().optional().describe("Fewer checked bags than your order; omitted: no fewer, or no order"),
        next: NextCall,
        booking: z
          .object({ code: z.string(), detail: z.string() })
          .nullable()
          .describe(
            "Why a booking by you would be refused now, for example by your travel policy; null: nothing known",
          ),
      }),
    )
    .describe("Earliest arrival first; all leave at or after earliestDeparture"),
  searchedDates: z.array(z.string()),
  considered: z.int().describe("How many the supplier has on these dates"),
});

export const ChangeAnswer = Marked.extend({
  orderId: z.string().nullable(),
  order: z
    .object({
      travelers: z.int(),
      totalAmount: DecimalAmount,
      totalCurrency: z.string(),
      returnedAmount: DecimalAmount.nullable().describe(
        "Refund of the whole order: under its fare, or quoted by the airline after it changed the flights. null: not known, or credits; see next",
      ),
      next: NextCall,
    })
    .nullable(),
  offers: z
    .array(
      ChangePrice.extend({
        id: z.string(),
        expiresAt: z.string().nullable(),
        slices: z.array(Slice).readonly(),
        next: NextCall,
      }),
    )
    .describe("Cheapest first; changeTotalAmount is the total difference for the order"),
});

export const OwnStayAnswer = z.object({
  orderId: z.string(),
  accommodationName: wordsOfOthers(),
  checkInDate: z.string(),
  checkOutDate: z.string(),
  totalAmount: DecimalAmount,
  totalCurrency: z.string(),
  effect: z.string().describe("How the offered flights affect it"),
  returnedAmount: DecimalAmount.nullable().describe(
    "Refund if cancelled now, in totalCurrency; null: in another currency, see next",
  ),
  returnedUntil: z.string().nullable().describe("UTC; null: it no longer changes"),
  next: NextCall,
});

export const HotelAnswer = Marked.extend({
  takenAs: wordsOfOthers("The place that stayLocation was taken to be").nullable(),
  otherCandidates: z.array(wordsOfOthers()).describe("Other places that stayLocation could mean"),
  checkInDate: z.string(),
  checkOutDate: z.string(),
  accommodations: z
    .array(
      AccommodationAnswer.omit({ photos: true, searchResultId: true, reviewCount: true, cancellationPolicy: true }),
    )
    .readonly(),
  picks: AccommodationPicks.nullable().describe("Ids of hotels shown; null: there are none"),
  next: NextCall.nullable().describe("For the cheapest rate of the best hotel; null: there are none"),
});

const Minutes = z.object({ fewest: z.int(), likely: z.int(), most: z.int() });

export const TransferAnswer = Marked.extend({
  airport: z.string().nullable(),
  direction: z.enum(["to_airport", "from_airport"]),
  minutes: Minutes.nullable(),
  isEstimate: z.boolean().describe("true: estimated from the distance alone; false: by road, without traffic"),
  source: z.string().describe("The routing source; distance: none"),
  attribution: z.array(z.string()).describe("Show these attributions with the route"),
  notes: z.array(z.string()).describe("Routing sources that returned no road route"),
  roadKilometers: z.number().nullable(),
  links: DeepLinks.nullable(),
  others: z
    .array(
      z.object({
        airport: z.string(),
        direction: z.enum(["to_airport", "from_airport"]),
        minutes: Minutes,
        roadKilometers: z.number(),
        google: z.string(),
      }),
    )
    .describe("The same for the other airports of the offered flights, and to your stay at the destination"),
  pickUps: z
    .record(z.string(), z.string())
    .describe(
      `For from_airport routes, by offer id: when to be picked up there, ${MINUTES_TO_EXIT.usual} minutes after landing`,
    ),
});

export const MessageAnswer = z.object({
  channel: z.enum(["whatsapp", "slack", "email"]),
  text: z.string().describe("Text for that channel; names in it are third-party text"),
  traveler: ShownTraveler.nullable().describe(
    "The traveler of the order whom it is for; null: the caller's own traveler, or nobody if nobody was written to",
  ),
  recipient: z.string().nullable().describe("From that traveler's profile, masked; null: the profile has none"),
  sent: z.boolean(),
  sentAt: z.string().nullable(),
  reason: z.string().describe("Why it was not sent, or who received it"),
});

export const AVAILABLE = { available: true, reason: null } as const;
export const unavailable = (reason: string) => ({ available: false, reason }) as const;

/** Returns a part's answer, or the reason why it is missing. Errors that are no Failure end the call. */
export async function partly<Answer>(
  work: () => Promise<Answer>,
  otherwise: (reason: string) => Answer,
): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return otherwise(`${error.code}: ${error.detail ?? "try again later"}`);
  }
}
