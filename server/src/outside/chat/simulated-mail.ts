import { z } from "zod";
import { createSmtpMailer } from "../../adapters/smtp/index.ts";
import { Failure } from "../../domain/errors.ts";
import type { HttpClient } from "../../platform/http-client/http-client.ts";
import type { ChatSimulator } from "../../ports/chat.ts";
import type { SimulatedMail } from "../../ports/mail-in.ts";
import type { Vault } from "../../ports/vault.ts";

const TIMEOUT_MILLISECONDS = 10_000;
const SENDER = { address: "trips@wayfare.test", name: "Wayfare" };

const Ports = z.object({ smtpPort: z.int() });
const Records = z.object({ records: z.array(z.array(z.string())).nullable() });

interface MailOptions {
  simulator: ChatSimulator | undefined;
  vault: Vault;
  http: Pick<HttpClient, "send">;
}

/** Undefined: the sandbox is off. */
export function openSimulatedMail({ simulator, vault, http }: MailOptions): SimulatedMail | undefined {
  if (simulator === undefined) return undefined;
  const token = vault.deriveKey("carrier simulator control");

  async function ask(path: string): Promise<unknown> {
    const { status, body } = await http.send({
      method: "GET",
      url: `${await simulator?.url()}/_carriers/control/${path}`,
      headers: { authorization: `Bearer ${token}` },
      timeoutMilliseconds: TIMEOUT_MILLISECONDS,
    });
    if (status !== 200) throw new Error(`the carrier simulator answered ${status}`);
    return JSON.parse(body.toString("utf8"));
  }

  return {
    mailer: ({ id: user, secret: password }) => ({
      async send(mail) {
        const { smtpPort: port } = Ports.parse(
          await ask("mail").catch((cause: unknown) => {
            throw new Failure("mail_not_sent", { cause });
          }),
        );
        const server = { host: "127.0.0.1", port, tls: "off", credentials: { user, password } } as const;
        await createSmtpMailer({ server, from: SENDER }).send(mail);
      },
      close: () => undefined,
    }),
    async resolve(name, type) {
      const { records } = Records.parse(await ask(`dns?${new URLSearchParams({ name, type })}`));
      if (records === null) throw Object.assign(new Error(`${name} is not there`), { code: "ENOTFOUND" });
      return records;
    },
  };
}
