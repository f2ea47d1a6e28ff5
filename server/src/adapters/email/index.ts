import type { BlockList } from "node:net";
import type { Log } from "../../ports/log.ts";
import type { MailIn } from "../../ports/mail-in.ts";
import { authenticateMail } from "./authenticate.ts";
import { createMailListener } from "./listener.ts";
import { parseMail } from "./parse-mail.ts";

interface MailInOptions {
  /** Undefined: nobody listens. */
  port: number | undefined;
  host: string;
  relays: BlockList;
  maximumBytes: number;
  log: Log;
}

export function createMailIn({ port, ...options }: MailInOptions): MailIn {
  return {
    parse: parseMail,
    authenticate: authenticateMail,
    listener: port === undefined ? undefined : createMailListener({ port, ...options }),
  };
}
