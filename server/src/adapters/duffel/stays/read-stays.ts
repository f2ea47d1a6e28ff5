import { z } from "zod";
import type { Coordinates } from "../../../domain/distance.ts";
import type { FoundStay } from "../../../ports/supplier/stays.ts";
import { type LargeRead, readData } from "../read-large.ts";
import { issuePaths } from "../wire.ts";
import { outstandingFirst, rankStays, toFoundStay, WireStay } from "./map-stays.ts";

interface StaysRead {
  /** Search results, best first. */
  ranked: FoundStay[];
  /** Their ids, with the best, the cheapest and the nearest first. */
  outstandingFirst: string[];
  /** The number of results that lack required fields. */
  left: number;
  /** The issues of the first one left out. */
  issues: readonly string[];
}

const SearchAnswer = z.object({ results: z.array(z.unknown()) });

function readStays({ body, center }: { body: Uint8Array; center: Coordinates }): LargeRead<StaysRead> {
  const answer = readData(body, SearchAnswer);
  if ("misread" in answer) return answer;
  const { results } = answer.value;
  const stays: WireStay[] = [];
  let issues: readonly string[] = [];
  for (const result of results) {
    const parsed = WireStay.safeParse(result);
    if (parsed.success) stays.push(parsed.data);
    else if (issues.length === 0) issues = issuePaths(parsed.error);
  }
  const ranked = rankStays(stays);
  return {
    value: {
      ranked: ranked.map(toFoundStay),
      outstandingFirst: outstandingFirst(ranked, center).map(({ id }) => id),
      left: results.length - stays.length,
      issues,
    },
  };
}

export const task = { module: import.meta.url, run: readStays };
