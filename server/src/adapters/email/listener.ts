import type { BlockList } from "node:net";
import { isIPv6 } from "node:net";
import type { Readable } from "node:stream";
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from "smtp-server";
import type { Log } from "../../ports/log.ts";
import type { MailEnvelope, MailListener } from "../../ports/mail-in.ts";

interface ListenerOptions {
  port: number;
  host: string;
  relays: BlockList;
  maximumBytes: number;
  log: Log;
}

const MOST_CONNECTIONS = 16;
const MOST_RECIPIENTS = 20;
const SILENCE_MILLISECONDS = 60_000;
const CLOSE_MILLISECONDS = 5_000;

type Answer = (error?: Error | null) => void;

/**
 * An SMTP server behind the operator's relay, which alone may connect. It answers after the mail is stored: a relay that gets no
 * answer sends the mail again, and the same mail is stored once.
 */
export function createMailListener({ port, host, relays, maximumBytes, log }: ListenerOptions): MailListener {
  let server: SMTPServer | undefined;
  return {
    async listen(handlers) {
      // A start is repeated where the database failed in the middle of it.
      if (server !== undefined) return readPort(server, port);
      const made = new SMTPServer({
        authOptional: true,
        disabledCommands: ["AUTH", "STARTTLS"],
        disableReverseLookup: true,
        logger: false,
        maxClients: MOST_CONNECTIONS,
        socketTimeout: SILENCE_MILLISECONDS,
        closeTimeout: CLOSE_MILLISECONDS,
        // The limit is not announced: a client that knew it would not even name the recipient, and nobody could see why.
        onConnect: ({ remoteAddress }, answer) =>
          answer(isAllowed(relays, remoteAddress) ? null : refuse(554, "5.7.1 Not from here.")),
        onRcptTo({ address }, session, answer) {
          if (session.envelope.rcptTo.length >= MOST_RECIPIENTS)
            return answer(refuse(452, "4.5.3 Too many recipients."));
          settle(handlers.knows(address), answer, (isKnown) =>
            isKnown ? null : refuse(550, "5.1.1 There is no such address."),
          );
        },
        onData(stream, session, answer) {
          const received = readMail(stream, maximumBytes).then(async (mail) => {
            if (mail === undefined) return undefined;
            return (await handlers.receive(toEnvelope(session), mail)) || mail === "too_large" ? mail : "not_read";
          });
          settle(received, answer, (mail) => {
            if (mail === "not_read") return refuse(550, "5.1.1 Nobody reads what is written to this address.");
            if (mail !== "too_large") return null;
            const most = maximumBytes / 1_048_576;
            return refuse(552, `5.3.4 The mail is larger than ${most} MB. Send it without its attachments.`);
          });
        },
      });
      made.on("error", (err) => log.info({ err }, "a connection of the mail listener broke"));
      server = made;
      await new Promise<void>((resolve, reject) => {
        made.server.once("error", reject);
        made.listen(port, host, () => resolve());
      });
      return readPort(made, port);
    },
    async close() {
      const closing = server;
      if (closing !== undefined) await new Promise<void>((resolve) => closing.close(() => resolve()));
    },
  };

  /** A failure of ours is not the mail's: the relay keeps it and tries again. */
  function settle<Value>(work: Promise<Value>, answer: Answer, toRefusal: (value: Value) => Error | null): void {
    work.then(
      (value) => answer(toRefusal(value)),
      (err: unknown) => {
        log.warn({ err }, "a mail could not be stored");
        answer(refuse(451, "4.3.0 Not now. Try again later."));
      },
    );
  }
}

function readPort({ server }: SMTPServer, asked: number): number {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : asked;
}

const refuse = (responseCode: number, says: string): Error => Object.assign(new Error(says), { responseCode });

function isAllowed(relays: BlockList, address: string): boolean {
  const plain = address.replace(/^::ffff:(?=\d+\.)/, "");
  return relays.check(plain, isIPv6(plain) ? "ipv6" : "ipv4");
}

/** Undefined: the connection broke before the end. */
function readMail(stream: SMTPServerDataStream & Readable, maximumBytes: number) {
  return new Promise<Uint8Array | "too_large" | undefined>((resolve) => {
    const pieces: Buffer[] = [];
    let bytes = 0;
    stream.on("data", (piece: Buffer) => {
      bytes += piece.length;
      if (bytes <= maximumBytes) pieces.push(piece);
      else pieces.length = 0;
    });
    stream.on("end", () => resolve(bytes > maximumBytes ? "too_large" : Buffer.concat(pieces)));
    stream.on("error", () => resolve(undefined));
    stream.on("close", () => resolve(undefined));
  });
}

/** The relay's own address says nothing about the sender, so SPF is left to the relay. */
function toEnvelope({ envelope }: SMTPServerSession): MailEnvelope {
  const { mailFrom, rcptTo } = envelope;
  return { from: mailFrom === false ? "" : mailFrom.address, to: rcptTo.map(({ address }) => address) };
}
