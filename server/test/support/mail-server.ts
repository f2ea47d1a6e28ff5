import { type AddressInfo, createServer, type Socket } from "node:net";
import PostalMime, { type Email } from "postal-mime";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";

interface ReceivedMail {
  to: string[];
  from: string;
  raw: string;
  parsed: Email;
  isEncrypted: boolean;
}

export interface MailServer {
  port: number;
  /** Without credentials, for SMTP_URL. */
  url: string;
  received: ReceivedMail[];
  /** Every user and password that was tried. */
  logins: { user: string; password: string }[];
  [Symbol.asyncDispose](): Promise<void>;
}

/** Its refusals, by step. */
export interface Refusals {
  recipient?: number;
  message?: number;
}

/** A real SMTP server, which keeps what it is sent. */
export async function startMailServer(
  options: SMTPServerOptions = {},
  refuse: () => Refusals = () => ({}),
  /** Called when a mail is there and its client waits for the answer. */
  onReceived: () => void = () => undefined,
): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  const logins: MailServer["logins"] = [];
  const server = new SMTPServer({
    authOptional: true,
    logger: false,
    disableReverseLookup: true,
    onAuth({ username = "", password }, _session, callback) {
      logins.push({ user: username, password: password ?? "" });
      callback(null, { user: username });
    },
    onRcptTo(_address, _session, callback) {
      callback(refusal(refuse().recipient));
    },
    onData(stream, session, callback) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const { mailFrom, rcptTo } = session.envelope;
        const raw = Buffer.concat(chunks).toString("utf8");
        void PostalMime.parse(raw).then((parsed) => {
          const refused = refusal(refuse().message);
          if (refused === null) {
            const to = rcptTo.map(({ address }) => address);
            const from = mailFrom === false ? "" : mailFrom.address;
            received.push({ to, from, raw, parsed, isEncrypted: session.secure });
            onReceived();
          }
          callback(refused);
        });
      });
    },
    ...options,
  });
  // Clients that break off.
  server.on("error", () => undefined);
  const listening = server.listen(0, "127.0.0.1");
  await new Promise((resolve) => listening.once("listening", resolve));
  const { port } = requireAddress(listening.address());
  return {
    port,
    url: `smtp://127.0.0.1:${port}`,
    received,
    logins,
    async [Symbol.asyncDispose]() {
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function refusal(responseCode: number | undefined): Error | null {
  return responseCode === undefined ? null : Object.assign(new Error("refused in the test"), { responseCode });
}

function requireAddress(address: AddressInfo | string | null): AddressInfo {
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return address;
}

/** Takes connections and says what `speak` says, or nothing at all. */
export async function startDumbServer(speak: (socket: Socket) => void = () => undefined) {
  const sockets = new Set<Socket>();
  let taken = 0;
  const server = createServer((socket) => {
    taken += 1;
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
    speak(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = requireAddress(server.address());
  return {
    port,
    url: `smtp://127.0.0.1:${port}`,
    connections: sockets,
    /** How many there ever were, as one can be over before somebody looks. */
    connectionsTaken: () => taken,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
