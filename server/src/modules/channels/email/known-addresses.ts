import type { Channel, ChannelPerson } from "../channels.ts";
import type { Parts } from "../context.ts";

/**
 * A proved sender is known by an address that they proved before: with a mailed link code of a conversation, or by signing in
 * with it. Whoever was unlinked stays a stranger until they send a code.
 */
export async function knowByAddress(
  { stores }: Pick<Parts, "stores">,
  channel: Channel,
  person: ChannelPerson,
): Promise<ChannelPerson> {
  if (person.userId !== undefined || person.isUnlinked) return person;
  const { tenantId, environment } = channel;
  const proved =
    (await stores.conversationLinks.findProved({ tenantId, environment }, person.externalId)) ??
    (await findMember(stores, channel, person.externalId));
  if (proved === undefined) return person;
  await stores.channelPeople.link(person.id, proved);
  return { ...person, ...proved };
}

async function findMember(
  stores: Parts["stores"],
  { tenantId, environment }: Channel,
  address: string,
): Promise<{ userId: string; keyId: string } | undefined> {
  const members = await stores.persons.withAddress(address);
  const member = members.find((one) => one.tenantId === tenantId && one.environment === environment);
  if (member === undefined) return undefined;
  const sessions = await stores.signIns.listSessions({ tenantId, environment, personId: member.id });
  if (!sessions.some(({ provesAddress }) => provesAddress)) return undefined;
  const keyId = await stores.persons.keyOfSessions({ tenantId, environment }, member.id);
  return keyId === undefined ? undefined : { userId: member.id, keyId };
}
