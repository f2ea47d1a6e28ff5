import PostalMime from "postal-mime";
import { SMTPServer, type SMTPServerDataStream } from "smtp-server";
import type { Playgrounds } from "../play/playground.ts";
import { addMail } from "./mailbox.ts";

const LOOPBACK = "127.0.0.1";
const MOST_BYTES = 30 * 1_048_576;
const CLOSE_MILLISECONDS = 500;

/** Takes the product's mails by SMTP. Who logs in as a playground writes to its mailboxes, whatever their addresses are. */
export async function listenForMail(playgrounds: Playgrounds) {
  const server = new SMTPServer({
    allowInsecureAuth: true,
    disabledCommands: ["STARTTLS"],
    disableReverseLookup: true,
    logger: false,
    size: MOST_BYTES,
    closeTimeout: CLOSE_MILLISECONDS,
    onAuth({ username = "", password }, _session, answer) {
      const playground = playgrounds.find(username);
      if (playground?.secret !== password) answer(new Error("There is no such playground."));
      else answer(null, { user: username });
    },
    onData(stream, session, answer) {
      const place = playgrounds.find(String(session.user));
      const { rcptTo } = session.envelope;
      readAll(stream)
        .then((raw) => PostalMime.parse(raw))
        .then(
          ({ from, replyTo, subject = "", text = "", messageId = "", references = "", headers }) => {
            for (const { address } of rcptTo) {
              if (place?.email === undefined) break;
              addMail(place.email, address, {
                id: messageId,
                isReceived: true,
                from: from?.address ?? "",
                to: address,
                replyTo: replyTo?.[0]?.address ?? from?.address ?? "",
                subject,
                text,
                messageId,
                references: references.split(/\s+/).filter((id) => id !== ""),
                headers: Object.fromEntries(headers.map(({ key, value }) => [key, value])),
              });
            }
            place?.changed();
            answer();
          },
          () => answer(Object.assign(new Error("The mail cannot be read."), { responseCode: 554 })),
        );
    },
  });
  // Clients that break off.
  server.on("error", () => undefined);
  await new Promise<void>((resolve) => void server.listen(0, LOOPBACK, resolve));
  const address = server.server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

async function readAll(stream: SMTPServerDataStream): Promise<Uint8Array> {
  const pieces: Buffer[] = [];
  for await (const piece of stream) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}
