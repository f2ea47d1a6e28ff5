import { Socket } from "node:net";
import { createTransport } from "nodemailer";
import { Failure } from "../../domain/errors.ts";
import { currentTraceId } from "../../domain/trace.ts";
import type { Mail, Mailer } from "../../ports/mailer.ts";

interface SmtpServerAddress {
  host: string;
  port: number;
  /**
   * wrapped: TLS from the first byte · required: STARTTLS, or nothing is sent · optional: STARTTLS if the server offers it ·
   * off
   */
  tls: "wrapped" | "required" | "optional" | "off";
  credentials: { user: string; password: string } | undefined;
}

export interface SmtpMailerOptions {
  server: SmtpServerAddress;
  from: { address: string; name?: string | undefined };
  /** Signs each mail for its sender's domain. Undefined: the mail server does, or nobody. */
  dkim?: { selector: string; privateKey: string } | undefined;
  timeouts?: { stepMilliseconds: number; wholeMilliseconds: number };
}

/** For a single step, such as connecting or one answer of the server, and for all of them together. */
const TIMEOUTS = { stepMilliseconds: 10_000, wholeMilliseconds: 60_000 };
const ONE_ADDRESS = /^[^\s<>,;:"()[\]\\@]+@[^\s<>,;:"()\\@]+$/;
const MESSAGE_ID = /^[A-Za-z0-9.-]+$/;

/** Sends through the operator's mail server, with a new connection per mail. The conversation is not logged. */
export function createSmtpMailer({ server, from: usual, dkim, timeouts = TIMEOUTS }: SmtpMailerOptions): Mailer {
  const open = new Set<Socket>();
  const { credentials } = server;

  async function send(mail: Mail, socket: Socket): Promise<void> {
    const traceId = currentTraceId();
    const { from = usual, references = [], unsubscribeUrl } = mail;
    const domain = from.address.slice(from.address.lastIndexOf("@") + 1);
    const inReplyTo = references.at(-1);
    const transport = createTransport({
      host: server.host,
      port: server.port,
      socket,
      secure: server.tls === "wrapped",
      requireTLS: server.tls === "required",
      ignoreTLS: server.tls === "off",
      ...(credentials === undefined ? {} : { auth: { user: credentials.user, pass: credentials.password } }),
      dnsTimeout: timeouts.stepMilliseconds,
      connectionTimeout: timeouts.stepMilliseconds,
      greetingTimeout: timeouts.stepMilliseconds,
      socketTimeout: timeouts.stepMilliseconds,
      // Addresses in a text are not fetched.
      disableFileAccess: true,
      disableUrlAccess: true,
      ...(dkim === undefined
        ? {}
        : { dkim: { domainName: domain, keySelector: dkim.selector, privateKey: dkim.privateKey } }),
    });
    await transport.sendMail({
      from: { name: from.name ?? "", address: from.address },
      to: { name: mail.to.name ?? "", address: mail.to.address },
      subject: mail.subject,
      text: mail.text,
      html: mail.html,
      attachments: (mail.attachments ?? []).map(({ fileName: filename, contentType, content }) => ({
        filename,
        contentType,
        content: Buffer.from(content),
      })),
      messageId: `<${mail.messageId}@${domain}>`,
      ...(mail.replyTo === undefined ? {} : { replyTo: mail.replyTo }),
      ...(inReplyTo === undefined ? {} : { inReplyTo, references: [...references] }),
      headers: {
        // Prevents out-of-office replies (RFC 3834).
        "Auto-Submitted": mail.autoSubmitted ?? "auto-generated",
        ...(unsubscribeUrl === undefined
          ? {}
          : { "List-Unsubscribe": `<${unsubscribeUrl}>`, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" }),
        ...(traceId === undefined ? {} : { "X-Trace-Id": traceId }),
      },
    });
  }

  return {
    async send(mail) {
      if (!ONE_ADDRESS.test(mail.to.address)) throw refused("the recipient's address is none");
      if (!MESSAGE_ID.test(mail.messageId)) throw new Error("a message id has other characters than it may");
      const socket = new Socket();
      open.add(socket);
      const timer = setTimeout(() => socket.destroy(new Error("took too long altogether")), timeouts.wholeMilliseconds);
      try {
        await send(mail, socket);
      } catch (error) {
        throw toFailure(error);
      } finally {
        clearTimeout(timer);
        socket.destroy();
        open.delete(socket);
      }
    },
    close() {
      for (const socket of open) socket.destroy(new Error("the service is stopping"));
    },
  };
}

const refused = (why: string): Failure => new Failure("mail_refused", { cause: new Error(why) });

/** The server's text may repeat what was sent, so only an error's codes are kept. */
function toFailure(error: unknown): Failure {
  const { code, command, responseCode } = Object(error);
  const isFinal = Number(responseCode) >= 500 && (command === "RCPT TO" || command === "DATA");
  const why = [code, command, responseCode].filter((part) => part !== undefined).join(" ");
  if (isFinal) return refused(why);
  return new Failure("mail_not_sent", { cause: new Error(why === "" ? "unknown" : why) });
}
