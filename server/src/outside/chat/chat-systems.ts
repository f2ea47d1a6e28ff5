import { createChatSimulator } from "../../adapters/carriers/index.ts";
import { createSlack } from "../../adapters/slack/index.ts";
import { createWhatsApp } from "../../adapters/whatsapp/index.ts";
import type { Config } from "../../config/config.ts";
import type { Embedded } from "../../embedded/start-embedded.ts";
import type { HttpClient } from "../../platform/http-client/http-client.ts";
import type { ChatSimulator, ChatSystems } from "../../ports/chat.ts";
import type { Vault } from "../../ports/vault.ts";

export function openChatSystems({ slackApiUrl, whatsappApiUrl }: Config, http: HttpClient): ChatSystems {
  return { slack: createSlack(http, slackApiUrl), whatsapp: createWhatsApp(http, whatsappApiUrl) };
}

/** Undefined: the sandbox is off. */
export function openChatSimulator(
  { embeddedSandbox }: Config,
  { embedded, vault, http }: { embedded: Pick<Embedded, "startCarriers">; vault: Vault; http: HttpClient },
): ChatSimulator | undefined {
  if (embeddedSandbox === "off") return undefined;
  const controlToken = vault.deriveKey("carrier simulator control");
  let started: Promise<string> | undefined;
  const start = async () => {
    started ??= embedded.startCarriers({ controlToken }).then(({ url }) => url);
    try {
      return await started;
    } catch (error) {
      started = undefined;
      throw error;
    }
  };
  return createChatSimulator({ http, start, controlToken });
}
