import { defineJob } from "../../kernel/contracts/job.ts";
import { Turns } from "../../platform/batching/turns.ts";
import { workOnInbox } from "../../platform/inbox/work-on-inbox.ts";
import type { Environment } from "../../ports/identity.ts";
import { defineModule, type Parts } from "./context.ts";
import { findSimulatedMailer } from "./email/mail-sender.ts";
import { findReceiver, isSender, receiveMail, receiveReport } from "./email/receive-mail.ts";
import { createEmailRecords, emailRecords } from "./email/store-email-records.ts";
import { createEmailMails } from "./email/store-mails.ts";
import { createEmailThreads } from "./email/store-threads.ts";
import { handleItem } from "./handle-item.ts";
import { setUpSimulated } from "./installation.ts";
import * as channels from "./migrations/0157-channels.ts";
import * as whatsapp from "./migrations/0159-whatsapp.ts";
import * as documents from "./migrations/0160-documents-in-channels.ts";
import * as email from "./migrations/0163-email.ts";
import * as notices from "./migrations/0164-notices.ts";
import * as cardsEnd from "./migrations/0183-cards-end.ts";
import * as documentsOut from "./migrations/0184-documents-out.ts";
import * as checkIn from "./migrations/0185-notices-of-check-in.ts";
import { createChannelNotices } from "./notices/channel-notices.ts";
import { deliverNotices } from "./notices/deliver-notices.ts";
import { createNoticePreferences, createNotices, DUE_NOTICES } from "./notices/store-notices.ts";
import { EVENTS_KEPT } from "./receive.ts";
import { channelRoutes } from "./routes/routes.ts";
import { answerRoutes } from "./routes/routes-answers.ts";
import { emailRoutes } from "./routes/routes-email.ts";
import { noticeRoutes } from "./routes/routes-notices.ts";
import { peopleRoutes } from "./routes/routes-people.ts";
import { slackRoutes } from "./routes/routes-slack.ts";
import { whatsAppRoutes } from "./routes/routes-whatsapp.ts";
import { MessageSender } from "./sending/message-sender.ts";
import { createChannels } from "./stores/store-channels.ts";
import { createChannelInbox, WAITING_EVENTS } from "./stores/store-events.ts";
import { createChannelMessages, DUE_MESSAGES, ENDING_CARDS } from "./stores/store-messages.ts";
import { createChannelPeople, createChannelPersonRecords } from "./stores/store-people.ts";
import { createChannelRecords } from "./stores/store-records.ts";

declare module "../../kernel/contracts/parts.ts" {
  interface ModuleParts {
    readonly "channels.messageSender": MessageSender;
    /** How many mails are in memory at once. */
    readonly "channels.mailTurns": Turns;
  }
  interface ModuleSettings {
    readonly "channels.slackClientId": string | undefined;
    readonly "channels.slackClientSecret": string | undefined;
    readonly "channels.slackSigningSecret": string | undefined;
    readonly "channels.whatsappAppSecret": string | undefined;
    readonly "channels.whatsappVerifyToken": string | undefined;
    readonly "channels.emailDomain": string | undefined;
    readonly "channels.emailWebhookSecret": string | undefined;
    readonly "channels.emailMaximumMegabytes": number;
    /** Servers report to this address that they could not deliver a mail. */
    readonly "channels.mailFrom": { readonly address: string } | undefined;
  }
}

const PRUNE_MILLISECONDS = 60_000;
const WORDS_KEPT = { hours: 48 };
const MESSAGES_KEPT = { hours: 30 * 24 };
/** Longer than addresses for replies are valid, and than an old mail could come again. */
const THREADS_KEPT = { hours: 90 * 24 };
const MAIL_TURNS = { atOnce: 2, mostWaiting: 100, patienceMilliseconds: 60_000 };
const ENVIRONMENTS: readonly Environment[] = ["sandbox", "production"];

/** People write to the service in Slack, on WhatsApp and by mail, and approvers decide in Slack and on WhatsApp. */
export const channelsModule = defineModule({
  name: "channels",
  routes: [
    ...channelRoutes,
    ...peopleRoutes,
    ...slackRoutes,
    ...whatsAppRoutes,
    ...emailRoutes,
    ...answerRoutes,
    ...noticeRoutes,
  ],
  stores: ({ db, clock, vault }) => ({
    channels: createChannels({ db, clock, vault }),
    channelPeople: createChannelPeople(db, clock),
    channelMessages: createChannelMessages({ db, clock, vault }),
    channelInbox: createChannelInbox(db, clock),
    channelRecords: createChannelRecords(db, clock),
    emailThreads: createEmailThreads({ db, clock, vault }),
    emailMails: createEmailMails({ db, vault }),
    emailRecords: createEmailRecords(db),
    notices: createNotices(db, clock),
    noticePreferences: createNoticePreferences(db, clock),
  }),
  recordSources: ({ stores }) => [
    { channels: ["slack", "whatsapp"], knowsTrips: true, ...stores.channelRecords },
    emailRecords(stores),
  ],
  personRecords: ({ db }) => createChannelPersonRecords(db),
  migrations: {
    "0157-channels": channels,
    "0159-whatsapp": whatsapp,
    "0160-documents-in-channels": documents,
    "0163-email": email,
    "0164-notices": notices,
    "0183-cards-end": cardsEnd,
    "0184-documents-out": documentsOut,
    "0185-notices-of-check-in": checkIn,
  },
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
    { table: "notice", kind: "notice", since: "next_at", open: [{ column: "state", in: ["waiting"] }] },
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
  ports: ({ stores, clock }) => ({ channelNotices: createChannelNotices({ stores, clock }) }),
  parts: {
    messageSender: (parts) => new MessageSender(parts),
    mailTurns: () => new Turns(MAIL_TURNS),
  },
  async start(parts) {
    // The other side of a simulated channel is in memory only, and this service may have another port than before.
    for (const channel of await parts.stores.channels.listSimulated()) void setUpAgain(parts, channel);
    parts.sandboxMail.use((owner) => findSimulatedMailer(parts, owner));
    await parts.mailIn.listener?.listen({
      // The simulator's mails come from the simulator alone.
      knows: async (recipient) =>
        isSender(parts, recipient) || (await findReceiver(parts, recipient))?.isSimulated === false,
      receive: async (envelope, mail) =>
        (await receiveMail(parts, envelope, mail, ({ isSimulated }) => !isSimulated)) > 0 ||
        (await receiveReport(parts, envelope, mail)),
    });
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
      defineJob({ name: "end-cards", queue: ENDING_CARDS, run: () => stores.channelMessages.endCards() }),
      defineJob({ name: "deliver-notices", queue: DUE_NOTICES, run: () => deliverNotices(parts) }),
      defineJob({
        name: "prune-channels",
        everyMilliseconds: PRUNE_MILLISECONDS,
        async run() {
          await stores.channelPeople.prune();
          await inbox.forgetWords(clock.now().subtract(WORDS_KEPT));
          await inbox.prune(clock.now().subtract(EVENTS_KEPT));
          await stores.channelMessages.prune(clock.now().subtract(MESSAGES_KEPT));
          await stores.emailThreads.prune(clock.now().subtract(THREADS_KEPT));
          await stores.notices.prune(clock.now().subtract(THREADS_KEPT));
        },
      }),
    ];
  },
  async stop({ messageSender, mailIn }) {
    await mailIn.listener?.close();
    await messageSender.stop();
  },
});

type SimulatedChannel = Awaited<ReturnType<Parts["stores"]["channels"]["listSimulated"]>>[number];

async function setUpAgain(parts: Parts, channel: SimulatedChannel): Promise<void> {
  await setUpSimulated(parts, channel).catch((err: unknown) =>
    parts.log.warn({ err, channelId: channel.id }, "a channel could not be set up in the carrier simulator"),
  );
}
