import { z } from "zod";
import { DecimalAmount } from "../../../domain/schemas.ts";
import type { Caller } from "../../../kernel/contracts/tool.ts";
import type { FlightOffer } from "../../../ports/supplier/flights.ts";
import { type ExpiringPorts, listUsableCredits } from "../expiring-credits.ts";
import { redeem } from "../offers/offer-answer.ts";

export const UnusedCredits = z
  .array(
    z.object({
      airlineCreditId: z.string(),
      amount: DecimalAmount,
      currency: z.string(),
      expiresAt: z.string().nullable(),
      offers: z
        .array(z.object({ offerId: z.string(), remains: DecimalAmount.nullable(), toPay: DecimalAmount.nullable() }))
        .describe("remains: what is left of the credit; toPay: of the price; null: different currencies"),
    }),
  )
  .optional()
  .describe(
    "Unused credits with the airline of an offer, which the query did not name: name them in airlineCreditIds, and the airline says whether they apply",
  );

const MOST_SHOWN = 5;

/** Nothing if the query names credits, or no offer is by the airline of one. */
export async function findUnusedCredits(
  ports: ExpiringPorts,
  caller: Caller,
  { named, offers }: { named: readonly string[] | undefined; offers: readonly FlightOffer[] },
): Promise<{ unusedCredits?: z.input<typeof UnusedCredits> }> {
  if (named !== undefined && named.length > 0) return {};
  const credits = await listUsableCredits(ports, caller);
  const fitting = credits.flatMap((credit) => {
    const by = offers.filter(({ owner }) => owner.iataCode === credit.airlineIataCode);
    const { id: airlineCreditId, amount, currency, expiresAt } = credit;
    if (by.length === 0) return [];
    const shown = by.map((offer) => ({ offerId: offer.id, ...redeem(credit, offer) }));
    return [{ airlineCreditId, amount, currency, expiresAt, offers: shown }];
  });
  return fitting.length === 0 ? {} : { unusedCredits: fitting.slice(0, MOST_SHOWN) };
}
