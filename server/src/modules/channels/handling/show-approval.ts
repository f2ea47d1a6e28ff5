import { findKeyId } from "../../../domain/user-ids.ts";
import { type Approval, buildApprovalLink, listDeciders, listTravelers, nameTraveler } from "../../approvals/index.ts";
import { composeCard, isUndecided } from "../approval-card.ts";
import type { Channel, ChannelOwner } from "../channels.ts";
import { findSystem } from "../installation.ts";
import type { HandlingParts } from "./handling.ts";

interface Place {
  readonly channel: Channel;
  readonly address: string;
  /** The approver who alone reads there. */
  readonly personId: string | undefined;
  /** The card that is there already. */
  readonly messageId?: string | undefined;
}

/** Shows an approval as it is now wherever its deciders are, and in every place in which it was shown before. */
export async function showApproval(parts: HandlingParts, owner: ChannelOwner, approvalId: string): Promise<string> {
  const { stores, clock, random } = parts;
  const approval = await stores.approvals.find([owner], approvalId);
  if (approval === undefined) return "no such approval";
  const now = clock.now();
  const isOpen = isUndecided(approval, now);
  const places = isOpen ? await listPlaces(parts, approval) : await listShown(parts, approval);
  const names = await readNames(parts, approval);
  for (const { channel, address, personId, messageId } of places) {
    const origin = new URL(parts.urls.app).origin;
    const link = personId === undefined ? undefined : buildApprovalLink(parts.vault, origin, { approvalId, personId });
    const message = {
      ...{ channelId: channel.id, tenantId: owner.tenantId, environment: owner.environment, address },
      about: approvalId,
      content: composeCard(approval, { ...names, link }, { now, random }),
      endsAt: isOpen ? approval.expiresAt : undefined,
      giveUpAt: approval.expiresAt.add({ hours: 24 }),
    };
    const canEdit = findSystem(parts, channel.kind).edit !== undefined;
    if (canEdit) await stores.channelMessages.show({ ...message, kind: "approval" });
    else if (messageId === undefined) await stores.channelMessages.insert({ ...message, kind: "approval" });
    else if (await stores.channelMessages.conclude(messageId, "It ended before it could be sent."))
      await stores.channelMessages.insert({ ...message, kind: "approval_end" });
  }
  return `${isOpen || approval.state !== "pending" ? approval.state : "expired"}: ${places.length} cards`;
}

/** The direct conversations of those who may decide it, and the shared places. */
async function listPlaces({ stores }: HandlingParts, approval: Approval): Promise<readonly Place[]> {
  const deciders = (await listDeciders(stores, approval)).map(({ id }) => id);
  const places: Place[] = [];
  for (const channel of await stores.channels.listOn(approval)) {
    // Approvers are mailed anyway, with a link: a mail carries no decision.
    if (channel.kind === "email") continue;
    const { approvalsIn } = channel.settings;
    if (approvalsIn !== undefined) places.push({ channel, address: approvalsIn, personId: undefined });
    for (const { userId, address } of await stores.channelPeople.listUsers(channel.id, deciders)) {
      if (address !== undefined) places.push({ channel, address, personId: userId });
    }
  }
  return places;
}

async function listShown({ stores }: HandlingParts, approval: Approval): Promise<readonly Place[]> {
  const channels = new Map((await stores.channels.list(approval)).map((channel) => [channel.id, channel]));
  const shown = await stores.channelMessages.listAbout(approval, approval.id);
  return shown.flatMap(({ id: messageId, channelId, address, kind }) => {
    const channel = channels.get(channelId);
    return channel === undefined || kind !== "approval" ? [] : [{ channel, address, personId: undefined, messageId }];
  });
}

async function readNames({ stores, portsFor }: HandlingParts, approval: Approval) {
  const { decidedBy, environment } = approval;
  const travelers = portsFor(environment)?.travelers;
  const findName = async (id: string) =>
    (travelers === undefined ? undefined : await nameTraveler({ stores, travelers }, approval, id)) ?? id;
  const traveling = listTravelers(approval);
  const named = traveling.length === 0 ? [approval.travelerId] : [...new Set(traveling)];
  return {
    decider:
      decidedBy === undefined ? undefined : ((await stores.persons.find(approval, decidedBy))?.name ?? decidedBy),
    travelers: await Promise.all(named.filter((id) => findKeyId(id) === undefined).map(findName)),
  };
}
