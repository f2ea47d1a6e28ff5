import type { Replacement } from "../replace-source.ts";

const MODULE = "server/src/modules/channels";

/** The service without what makes a message of a channel count once: other texts in its source as it is loaded. */
export const withoutChannelGuard: Readonly<Record<string, readonly Replacement[]>> = {
  /** An event that comes again is another one. */
  "event-once": [
    {
      file: `${MODULE}/receive.ts`,
      from: "event.id}`",
      to: "event.id + Math.random()}`",
    },
    {
      file: `${MODULE}/handling/say-in-name.ts`,
      from: "event.id}`",
      to: "event.id + Math.random()}`",
    },
  ],
  /** A mail that comes again is another one. */
  "mail-once": [
    {
      file: `${MODULE}/email/receive-mail.ts`,
      from: "const eventId = `mail:",
      to: "const eventId = Math.random() + `mail:",
    },
    {
      file: `${MODULE}/email/receive-mail.ts`,
      from: "if (!(await emailThreads.see(channel, hashes))) return;",
      to: "await emailThreads.see(channel, hashes);",
    },
  ],
  /** A message whose answer was lost is sent once more. */
  "message-look-up": [
    {
      file: `${MODULE}/sending/message-sender.ts`,
      from: "unsureSince === undefined ? undefined : await find(",
      to: "Math.random() < 2 || unsureSince === undefined ? undefined : await find(",
    },
  ],
};
