import { defineJob } from "../../kernel/contracts/job.ts";
import { workOnInbox } from "../../platform/inbox/work-on-inbox.ts";
import type { Environment } from "../../ports/identity.ts";
import { defineModule, type Parts } from "./context.ts";
import { handleItem } from "./handle-item.ts";
import { setUpSimulated } from "./installation.ts";
import * as channels from "./migrations/0157-channels.ts";
import * as whatsapp from "./migrations/0159-whatsapp.ts";
import * as documents from "./migrations/0160-documents-in-channels.ts";
import { EVENTS_KEPT } from "./receive.ts";
import { channelRoutes } from "./routes/routes.ts";
import { peopleRoutes } from "./routes/routes-people.ts";
import { slackRoutes } from "./routes/routes-slack.ts";
import { whatsAppRoutes } from "./routes/routes-whatsapp.ts";
import { MessageSender } from "./sending/message-sender.ts";
import { createChannels } from "./stores/store-channels.ts";
import { createChannelInbox, WAITING_EVENTS } from "./stores/store-events.ts";
import { createChannelMessages, DUE_MESSAGES } from "./stores/store-messages.ts";
import { createChannelPeople, createChannelPersonRecords } from "./stores/store-people.ts";
import { createChannelRecords } from "./stores/store-records.ts";

declare module "../../kernel/contracts/parts.ts" {
  interface ModuleParts {
    readonly "channels.messageSender": MessageSender;
  }
  interface ModuleSettings {
    readonly "channels.slackClientId": string | undefined;
    readonly "channels.slackClientSecret": string | undefined;
    readonly "channels.slackSigningSecret": string | undefined;
    readonly "channels.whatsappAppSecret": string | undefined;
    readonly "channels.whatsappVerifyToken": string | undefined;
  }
}

const PRUNE_MILLISECONDS = 60_000;
const WORDS_KEPT = { hours: 48 };
const MESSAGES_KEPT = { hours: 30 * 24 };
const ENVIRONMENTS: readonly Environment[] = ["sandbox", "production"];

/** People write to the service in Slack and on WhatsApp, and approvers decide there. */
export const channelsModule = defineModule({
  name: "channels",
  routes: [...channelRoutes, ...peopleRoutes, ...slackRoutes, ...whatsAppRoutes],
  stores: ({ db, clock, vault }) => ({
    channels: createChannels({ db, clock, vault }),
    channelPeople: createChannelPeople(db, clock),
    channelMessages: createChannelMessages({ db, clock, vault }),
    channelInbox: createChannelInbox(db, clock),
    channelRecords: createChannelRecords(db, clock),
  }),
  recordSources: ({ stores: { channelRecords } }) => [
    { channels: ["slack", "whatsapp"], knowsTrips: true, ...channelRecords },
  ],
  personRecords: ({ db }) => createChannelPersonRecords(db),
  migrations: { "0157-channels": channels, "0159-whatsapp": whatsapp, "0160-documents-in-channels": documents },
  workTables: [
    {
      table: "channel_event",
      kind: "channel_event",
      since: "received_at",
      open: [{ column: "finished_at", isNull: true }],
    },
    {
      table: "channel_message",
      kind: "channel_message",
      since: "created_at",
      open: [{ column: "state", in: ["waiting"] }],
    },
  ],
  account: async ({ stores }, { tenantId, environment }) => {
    const off = (await stores.channels.list({ tenantId, environment })).filter(({ state }) => state === "off");
    return {
      missing: off.map(({ name, offBecause }) => ({
        what: `The channel ${name}: ${offBecause ?? ""}`,
        how: "A person installs it again, or switches it on with a key that has webhooks:administer: POST /api/channels/{channelId}.",
        page: "channels",
      })),
    };
  },
  parts: { messageSender: (parts) => new MessageSender(parts) },
  async start(parts) {
    // The other side of a simulated channel is in memory only, and this service may have another port than before.
    for (const channel of await parts.stores.channels.listSimulated()) void setUpAgain(parts, channel);
  },
  jobs(parts) {
    const { stores, messageSender, clock, log } = parts;
    const inbox = stores.channelInbox;
    const work = (environment: Environment) =>
      workOnInbox({
        name: "channel_event",
        inbox,
        environment,
        clock,
        log,
        handle: (item) => handleItem(parts, environment, item),
      });
    return [
      defineJob({
        name: "handle-channel-events",
        queue: WAITING_EVENTS,
        run: () => Promise.all(ENVIRONMENTS.map(work)),
      }),
      defineJob({ name: "send-channel-messages", queue: DUE_MESSAGES, run: () => messageSender.run() }),
      defineJob({
        name: "prune-channels",
        everyMilliseconds: PRUNE_MILLISECONDS,
        async run() {
          await stores.channelPeople.prune();
          await inbox.forgetWords(clock.now().subtract(WORDS_KEPT));
          await inbox.prune(clock.now().subtract(EVENTS_KEPT));
          await stores.channelMessages.prune(clock.now().subtract(MESSAGES_KEPT));
        },
      }),
    ];
  },
  stop: ({ messageSender }) => messageSender.stop(),
});

type SimulatedChannel = Awaited<ReturnType<Parts["stores"]["channels"]["listSimulated"]>>[number];

async function setUpAgain(parts: Parts, channel: SimulatedChannel): Promise<void> {
  await setUpSimulated(parts, channel).catch((err: unknown) =>
    parts.log.warn({ err, channelId: channel.id }, "a channel could not be set up in the carrier simulator"),
  );
}
