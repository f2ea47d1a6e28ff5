import { createHash } from "node:crypto";
import type { Clock } from "../../../ports/clock.ts";
import type { ChannelOwner, ChannelPerson } from "../channels.ts";
import type { Stores } from "../context.ts";
import type { NoticeChannel } from "./notice-kinds.ts";

declare module "../../../kernel/contracts/tool.ts" {
  interface ModulePorts {
    readonly "channels.channelNotices": ChannelNotices;
  }
}

type ChatChannel = Exclude<NoticeChannel, "email">;

interface Addressee extends ChannelOwner {
  readonly userId: string;
  readonly channel: ChatChannel;
}

interface Notice {
  readonly about: readonly (string | undefined)[];
  /** Plain: nothing in it is markup. */
  readonly text: string;
  /** An address in it that may be opened. */
  readonly link?: string | undefined;
}

/** Texts of tools for people who are known in a chat channel. */
export interface ChannelNotices {
  reaches(addressee: Addressee): Promise<boolean>;
  /** Stores the text, which is then sent once; the same reason does no more. False: the person is not known there. */
  send(addressee: Addressee, notice: Notice): Promise<boolean>;
}

const LIFETIME = { hours: 12 };

type PlaceStores = Pick<Stores, "channels" | "channelPeople">;

/** Where the person alone reads. Undefined: they are not known there. */
export async function findPlace(
  { channels, channelPeople }: PlaceStores,
  { tenantId, environment, userId, channel }: Addressee,
): Promise<(Pick<ChannelPerson, "channelId" | "address"> & { address: string }) | undefined> {
  for (const { id: channelId, kind } of await channels.listOn({ tenantId, environment })) {
    if (kind !== channel) continue;
    const [person] = await channelPeople.listUsers(channelId, [userId]);
    if (person?.address !== undefined) return { channelId, address: person.address };
  }
  return undefined;
}

export function createChannelNotices({
  stores,
  clock,
}: {
  stores: PlaceStores & Pick<Stores, "channelMessages">;
  clock: Clock;
}): ChannelNotices {
  return {
    reaches: async (addressee) => (await findPlace(stores, addressee)) !== undefined,
    async send(addressee, { about, text, link }) {
      const place = await findPlace(stores, addressee);
      if (place === undefined) return false;
      const { tenantId, environment } = addressee;
      await stores.channelMessages.insert({
        ...{ ...place, tenantId, environment },
        kind: "notice",
        about: createHash("sha256").update(JSON.stringify(about)).digest("base64url"),
        content: { text, buttons: [], link },
        giveUpAt: clock.now().add(LIFETIME),
      });
      return true;
    },
  };
}
