import { promisify } from "node:util";
import { constants, inflate, zstdCompress, zstdDecompress } from "node:zlib";
import { z } from "zod";
import { CabinClass, Provenance } from "../../../domain/schemas.ts";
import type { FlightOffer, FlightSearchResult } from "../../../ports/supplier/flights.ts";

/** Nobody looks through more; the cheapest are kept. */
const MOST_OFFERS = 500;
/** The fastest level is small enough: a search takes about ten kilobytes. */
const LEVEL = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
/** Earlier releases packed with zlib, whose data begins otherwise. */
const ZSTD_MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);
const decompressEarlier = promisify(inflate);

const text = z.string().nullable();
const Condition = z.object({ allowed: z.boolean(), penaltyAmount: text, penaltyCurrency: text }).nullable();
const Baggage = z.array(z.object({ type: z.string(), quantity: z.number() }));
const Segment = z.object({
  id: z.string(),
  carrier: z.string(),
  carrierName: z.string(),
  flightNumber: z.string(),
  operatingCarrier: z.string(),
  origin: z.string(),
  destination: z.string(),
  originTerminal: text,
  destinationTerminal: text,
  departingAt: z.string(),
  arrivingAt: z.string(),
  durationMinutes: z.number(),
  aircraft: text,
  cabinClass: z.string(),
  baggage: Baggage,
  stops: z.array(
    z.object({
      airport: z.string(),
      arrivingAt: z.string(),
      departingAt: z.string(),
      durationMinutes: z.number().nullable(),
    }),
  ),
  passengers: z.array(z.object({ passengerId: z.string(), cabinClass: z.string(), baggage: Baggage, seat: text })),
});
const Slice = z.object({
  id: z.string(),
  origin: z.string(),
  destination: z.string(),
  durationMinutes: z.number(),
  fareBrandName: text,
  changeBeforeDeparture: Condition,
  segments: z.array(Segment),
});
const Offer = z.object({
  id: z.string(),
  totalAmount: z.string(),
  totalCurrency: z.string(),
  taxAmount: text,
  owner: z.object({ iataCode: z.string(), name: z.string() }),
  slices: z.array(Slice),
  conditions: z.object({ refundBeforeDeparture: Condition, changeBeforeDeparture: Condition }),
  paymentRequirements: z.object({
    requiresInstantPayment: z.boolean(),
    priceGuaranteeExpiresAt: text,
    paymentRequiredBy: text,
  }),
  passengers: z.array(z.object({ id: z.string(), type: text, age: z.number().exactOptional(), fareType: text })),
  identityDocumentsRequired: z.boolean(),
  identityDocumentTypes: z.array(z.string()),
  privateFares: z.array(
    z.object({
      type: z.string(),
      corporateCode: z.string().exactOptional(),
      tourCode: z.string().exactOptional(),
      trackingReference: z.string().exactOptional(),
    }),
  ),
  availableAirlineCreditIds: z.array(z.string()),
  totalEmissionsKg: text,
  expiresAt: z.string(),
});
const Found = z.object({
  cabinClass: CabinClass,
  considered: z.number(),
  offers: z.array(Offer),
  notApplied: z.array(z.object({ input: z.string(), value: z.string(), reason: z.string() })),
  provenance: Provenance,
  sandbox: z.boolean(),
});

export interface FoundSearch extends FlightSearchResult {
  cabinClass: z.infer<typeof CabinClass>;
  /** The supplier's number of offers, some of which may not be stored. */
  considered: number;
}

/** The offers of a search as it is stored. */
export async function packSearch(found: FoundSearch): Promise<Uint8Array> {
  const kept: FoundSearch = { ...found, offers: cheapest(found.offers).map(withoutAlike) };
  return await compress(JSON.stringify(kept), LEVEL);
}

/** Undefined for the search of another release; it expires soon anyway. */
export async function unpackSearch(packed: Uint8Array): Promise<FoundSearch | undefined> {
  const isZstd = ZSTD_MAGIC.equals(packed.subarray(0, ZSTD_MAGIC.length));
  const text = await (isZstd ? decompress : decompressEarlier)(packed);
  return Found.safeParse(JSON.parse(text.toString())).data;
}

/** Passengers with equal cabin and bags add nothing to the flight's own. */
function withoutAlike(offer: FlightOffer): FlightOffer {
  const slices = offer.slices.map((slice) => ({
    ...slice,
    segments: slice.segments.map((segment) => {
      const isAlike = segment.passengers.every(({ cabinClass }) => cabinClass === segment.cabinClass);
      return isAlike ? { ...segment, passengers: [] } : segment;
    }),
  }));
  return { ...offer, slices };
}

function cheapest(offers: FoundSearch["offers"]): FoundSearch["offers"] {
  if (offers.length <= MOST_OFFERS) return offers;
  return offers.toSorted((left, right) => Number(left.totalAmount) - Number(right.totalAmount)).slice(0, MOST_OFFERS);
}
