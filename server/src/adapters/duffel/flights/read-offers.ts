import { z } from "zod";
import type { FlightOffer, FlightSearchResult, OfferDigest } from "../../../ports/supplier/flights.ts";
import { type LargeRead, readData } from "../read-large.ts";
import { issuePaths } from "../wire.ts";
import { task as allOffers } from "./all-offers.ts";
import { toOffer, WireOffer } from "./map-offers.ts";
import { writeSampleAnswer } from "./sample-answer.ts";

interface OffersToRead<Ask> {
  body: Uint8Array;
  about: Omit<FlightSearchResult, "offers">;
  /** The module of the `OfferDigest`. */
  digest: string;
  ask: Ask;
}

interface OffersRead<Digest> {
  /** Undefined if no offer can be read. */
  digest: Digest | undefined;
  /** The number of offers that lack required fields. */
  left: number;
  of: number;
  /** The issues of the first one left out. */
  issues: readonly string[];
}

const SearchAnswer = z.object({ offers: z.array(z.unknown()) });

/** Reads the answer to a search, and reduces its offers to the digest. */
async function readOffers<Ask, Digest>(input: OffersToRead<Ask>): Promise<LargeRead<OffersRead<Digest>>> {
  const { body, about, digest: module, ask } = input;
  const answer = readData(body, SearchAnswer);
  if ("misread" in answer) return answer;
  const listed = answer.value.offers;
  const offers: FlightOffer[] = [];
  let issues: readonly string[] = [];
  for (const one of listed) {
    const parsed = WireOffer.safeParse(one);
    if (parsed.success) offers.push(toOffer(parsed.data));
    else if (issues.length === 0) issues = issuePaths(parsed.error);
  }
  const left = listed.length - offers.length;
  const { task }: { task: OfferDigest<Ask, Digest> } = await import(module);
  const digest = left > 0 && offers.length === 0 ? undefined : await task.run({ found: { offers, ...about }, ask });
  return { value: { digest, left, of: listed.length, issues } };
}

const SAMPLE_OFFERS = 100;
const NOWHERE = { source: "", sourceLevel: "embedded", asOf: "" } as const;

const rehearse = () => {
  const found = { notApplied: [], provenance: NOWHERE, sandbox: true };
  return readOffers({ body: writeSampleAnswer(SAMPLE_OFFERS), about: found, digest: allOffers.module, ask: undefined });
};

export const task = { module: import.meta.url, run: readOffers, rehearse };
