import type {
  ChannelRecord,
  RecordChannel,
  RecordFilter,
  RecordPlace,
  RecordSource,
} from "../../ports/channel-records.ts";
import type { Environment } from "../../ports/identity.ts";

/** One channel's records, newest first, from all of its sources. */
export async function listRecords(
  sources: readonly RecordSource[],
  owner: { tenantId: string; environment: Environment },
  filter: RecordFilter,
): Promise<readonly ChannelRecord[]> {
  const asked = findSources(sources, filter.channel).filter(({ knowsTrips }) => knowsTrips || !filter.tripId);
  const lists = await Promise.all(asked.map((source) => source.list(owner, filter)));
  return lists.flat().toSorted(compareRecords).slice(0, filter.limit);
}

export const findSources = (sources: readonly RecordSource[], channel: RecordChannel): readonly RecordSource[] =>
  sources.filter(({ channels }) => channels.includes(channel));

function compareRecords(one: ChannelRecord, other: ChannelRecord): number {
  return Temporal.Instant.compare(other.at, one.at) || (bare(one.id) < bare(other.id) ? 1 : -1);
}

/** Sources of calls compare ids without their prefixes. */
const bare = (id: string): string => id.slice(id.lastIndexOf("_") + 1);

const CURSOR = /^(\d{1,20})-([\w-]{1,100})$/;

/** Nanoseconds and an id. */
export const formatPlace = ({ at, id }: RecordPlace): string => `${at.epochNanoseconds}-${id}`;

export function parsePlace(text: string): RecordPlace | undefined {
  const [, nanoseconds, id] = CURSOR.exec(text) ?? [];
  if (nanoseconds === undefined || id === undefined) return undefined;
  return { at: Temporal.Instant.fromEpochNanoseconds(BigInt(nanoseconds)), id };
}
