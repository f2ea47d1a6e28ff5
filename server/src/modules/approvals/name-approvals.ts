import { z } from "zod";
import { wordsOfOthers } from "../../domain/schemas.ts";
import { buildScope, DECIDES_APPROVALS, hasScope } from "../../domain/scopes.ts";
import { findKeyId } from "../../domain/user-ids.ts";
import type { Travelers } from "../travelers/index.ts";
import type { Approval, ApprovalOwner } from "./approvals.ts";
import type { Stores } from "./context.ts";
import { ApprovalAnswer, describeApproval } from "./describe-approval.ts";
import { nameTraveler } from "./name-traveler.ts";

/** An approval for people, who know each other by name. */
export const NamedApproval = ApprovalAnswer.extend({
  travelers: z
    .array(
      z.object({
        userId: z.string(),
        name: wordsOfOthers()
          .nullable()
          .describe("null: there is no profile, or the key may neither read travelers nor decide"),
      }),
    )
    .readonly()
    .describe("Who it is for"),
  requestedByName: wordsOfOthers("The person's name, or the key's").nullable(),
  requestedForName: wordsOfOthers().nullable().describe("null: the call named nobody, or the user has no name here"),
  decidedByName: wordsOfOthers().nullable().describe("null: undecided, or the decider no longer belongs to the tenant"),
});

export interface NamingPorts {
  stores: Pick<Stores, "persons">;
  travelers: Pick<Travelers, "get">;
}

/** Profiles are decrypted one by one: of a long list, the first travelers have names. */
const MOST_NAMED = 50;

interface Reader {
  owner: ApprovalOwner;
  scopes: readonly string[];
  now: Temporal.Instant;
}

export async function nameApprovals(
  { stores, travelers }: NamingPorts,
  { owner, scopes, now }: Reader,
  approvals: readonly Approval[],
): Promise<readonly z.output<typeof NamedApproval>[]> {
  const answers = approvals.map((approval) => describeApproval(approval, now));
  const maySeeTravelers = hasScope(scopes, buildScope("travelers", "read")) || hasScope(scopes, DECIDES_APPROVALS);
  const listTravelers = ({ travelerIds, travelerId }: (typeof answers)[number]) => travelerIds ?? [travelerId];
  const traveling = new Set(maySeeTravelers ? answers.flatMap(listTravelers) : []);
  const keyIds = new Set(answers.flatMap(({ requestedBy }) => findKeyId(requestedBy) ?? []));
  const [persons, keyNames, travelerNames] = await Promise.all([
    answers.length === 0 ? [] : stores.persons.list(owner),
    readAll(keyIds, (keyId) => stores.persons.keyName(owner.tenantId, keyId)),
    readAll([...traveling].slice(0, MOST_NAMED), (userId) => nameTraveler({ stores, travelers }, owner, userId)),
  ]);
  const personNames = new Map(persons.map(({ id, name }) => [id, name]));
  const call = (id: string | null) =>
    id === null ? null : (personNames.get(id) ?? keyNames.get(findKeyId(id) ?? "") ?? travelerNames.get(id) ?? null);
  return answers.map((answer) => ({
    ...answer,
    travelers: listTravelers(answer).map((userId) => ({ userId, name: travelerNames.get(userId) ?? null })),
    requestedByName: call(answer.requestedBy),
    requestedForName: call(answer.requestedFor),
    decidedByName: call(answer.decidedBy),
  }));
}

async function readAll(
  ids: Iterable<string>,
  read: (id: string) => Promise<string | undefined>,
): Promise<ReadonlyMap<string, string>> {
  const named = await Promise.all(Array.from(ids, async (id) => [id, await read(id)] as const));
  return new Map(named.flatMap(([id, name]) => (name === undefined ? [] : [[id, name]])));
}
