import { answerControl } from "./control.ts";
import { createFaults } from "./faults.ts";
import { json, refuse } from "./http/answer.ts";
import { listen } from "./http/server.ts";
import { listenForMail } from "./mail/smtp.ts";
import { answerPage } from "./play/page.ts";
import { answerPlay } from "./play/play-routes.ts";
import { createPlaygrounds } from "./play/playground.ts";
import { createEventSender } from "./send-events.ts";
import type { Settings } from "./settings.ts";
import { answerInstall } from "./slack/install.ts";
import { answerSlack } from "./slack/web-api.ts";
import { answerWhatsApp } from "./whatsapp/cloud-api.ts";

const say = (line: string): void => void process.stderr.write(`${line}\n`);

/** Starts the simulator of the carriers. It knows what it was told since its start, and nothing else. */
export async function startCarriers({ port, controlToken }: Settings) {
  const playgrounds = createPlaygrounds();
  const faults = createFaults();
  const sender = createEventSender(faults, say);
  const webhooks = { sender, takeFault: faults.take };
  const mail = await listenForMail(playgrounds);
  const server = await listen(port, {
    say,
    answer: async (question) =>
      (question.path === "/healthz" ? json({ ok: true }) : undefined) ??
      answerControl({ controlToken, playgrounds, faults, sender, smtpPort: mail.port }, question) ??
      answerPlay({ playgrounds, sender, webhooks }, question) ??
      answerSlack(playgrounds, question, faults.take) ??
      answerWhatsApp({ playgrounds, webhooks }, question) ??
      answerPage(question) ??
      answerInstall(playgrounds, question) ??
      refuse(404, "Not found"),
  });
  return {
    port: server.port,
    async stop(): Promise<void> {
      sender.stop();
      await mail.close();
      await server.close();
    },
  };
}
