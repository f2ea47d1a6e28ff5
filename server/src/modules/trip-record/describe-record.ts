import { z } from "zod";
import { detailsOfOthers } from "../../domain/schemas.ts";
import { CURSOR_MESSAGE, NextCursor, readPage } from "../../kernel/contracts/page.ts";
import { tripEntryKinds } from "../../kernel/contracts/trip-note.ts";
import type { Reads } from "./context.ts";
import type { TripEntry, TripOwner, TripRecordSummary } from "./trip-record.ts";

/** The number of milestones in a trip's summary. */
const MILESTONES = 12;

const Entry = z.object({
  at: z.string().meta({ format: "date-time" }),
  kind: z.enum(tripEntryKinds),
  text: z.string(),
  details: detailsOfOthers("Ids, hashes, amounts and states"),
  userId: z.string().nullable().describe("The acting user; null: the service itself, or the guest"),
});

export const TripRecordAnswer = z.object({
  summary: z.string().describe("A readable summary of the trip so far"),
  record: z.array(Entry).describe("Everything known about the trip, newest first; append-only"),
  nextCursor: NextCursor.describe("Cursor of the next page; null on the last page"),
});

/** The position of the previous page's last entry. */
export const RecordCursor = z.string().regex(/^[1-9]\d{0,17}$/, CURSOR_MESSAGE);

/** One page of a trip's record, with its summary. */
export async function readTripRecord(
  reads: Reads,
  trip: TripOwner,
  query: { cursor?: string | undefined; limit?: string | number },
): Promise<z.output<typeof TripRecordAnswer>> {
  const before = query.cursor === undefined ? undefined : BigInt(query.cursor);
  let summary: TripRecordSummary = { counts: {}, milestones: [] };
  const page = await readPage(
    query,
    async (limit) => {
      const asked = { limit, before, milestones: MILESTONES };
      const record = await reads(trip.tenantId, ({ tripRecords }) => tripRecords.read(trip, asked));
      summary = record.summary;
      return record.entries;
    },
    ({ position }) => position.toString(),
  );
  return { summary: sayRecord(summary), record: page.shown.map(describeEntry), nextCursor: page.nextCursor };
}

function describeEntry({ at, kind, text, details, userId }: TripEntry): z.output<typeof Entry> {
  return { at: at.toString(), kind, text, details: { ...details }, userId: userId ?? null };
}

function sayRecord({ counts, milestones }: TripRecordSummary): string {
  const kinds = tripEntryKinds.flatMap((kind) => (counts[kind] === undefined ? [] : [`${kind} ${counts[kind]}`]));
  if (kinds.length === 0) return "Nothing is known about the trip yet.";
  const lines = milestones.map(({ at, text }) => `${at.toString().slice(0, 16).replace("T", " ")} ${text}`);
  return [...lines, `Entries: ${kinds.join(", ")}.`].join("\n");
}
