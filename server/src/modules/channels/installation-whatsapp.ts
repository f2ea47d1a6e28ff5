import { createHmac, timingSafeEqual } from "node:crypto";
import type { Vault } from "../../ports/vault.ts";
import type { ChannelTemplates, OpenChannel } from "./channels.ts";
import type { Parts } from "./context.ts";

type Settings = Parts["settings"];

export const whatsAppWebhookPath = (app: string): string => `/api/webhooks/whatsapp/${app}`;

/** The app at Meta that signs the requests for a channel. Undefined: neither the channel nor the operator has one. */
export function findMetaApp(
  parts: { settings: Settings; vault: Vault },
  { id, secrets }: Pick<OpenChannel, "id" | "secrets">,
): { appSecret: string; verifyToken: string; isShared: boolean } | undefined {
  const { signingSecret: appSecret } = secrets;
  if (appSecret !== undefined) return { appSecret, verifyToken: deriveVerifyToken(parts.vault, id), isShared: false };
  return readSharedMetaApp(parts.settings);
}

export function readSharedMetaApp({ whatsappAppSecret: appSecret, whatsappVerifyToken }: Settings) {
  if (appSecret === undefined || whatsappVerifyToken === undefined) return undefined;
  return { appSecret, verifyToken: whatsappVerifyToken, isShared: true };
}

/** Follows from the master key: nothing is stored that could be read elsewhere. */
function deriveVerifyToken(vault: Vault, channelId: string): string {
  return createHmac("sha256", vault.deriveKey("whatsapp verify token")).update(channelId).digest("base64url");
}

export function isSameToken(given: string, expected: string): boolean {
  const hash = (text: string) => createHmac("sha256", "compared in constant time").update(text).digest();
  return timingSafeEqual(hash(given), hash(expected));
}

const USUAL: ChannelTemplates = {
  language: "en",
  update: "wayfare_update",
  approval: "wayfare_approval",
  claimLink: "wayfare_claim_link",
  claimCode: "wayfare_code",
};

export function nameTemplates({ templates = {} }: OpenChannel["settings"]): ChannelTemplates {
  const { language, update, approval, claimLink, claimCode } = templates;
  return {
    language: language ?? USUAL.language,
    update: update ?? USUAL.update,
    approval: approval ?? USUAL.approval,
    claimLink: claimLink ?? USUAL.claimLink,
    claimCode: claimCode ?? USUAL.claimCode,
  };
}

/** The templates as Meta's API takes them: POST /{business account id}/message_templates. */
export function describeTemplates(settings: OpenChannel["settings"]) {
  const { language, ...names } = nameTemplates(settings);
  const body = (text: string, example: string) => ({ type: "BODY", text, example: { body_text: [[example]] } });
  const utility = (name: string, ...components: object[]) => ({ name, language, category: "UTILITY", components });
  const quickReply = (text: string) => ({ type: "QUICK_REPLY", text });
  return [
    utility(
      names.update,
      body("News about your trip: {{1}} Answer here to go on.", "Your flight to New York is booked."),
    ),
    utility(names.approval, body("A trip needs your decision: {{1}} Choose below.", "Flight LHR to JFK, 512.40 USD"), {
      type: "BUTTONS",
      buttons: [quickReply("Approve"), quickReply("Reject")],
    }),
    utility(
      names.claimLink,
      body(
        "You are invited to a trip. Open this link to accept: {{1}} It is meant for you alone.",
        "https://wayfare.example.com/claim/0x1#secret",
      ),
    ),
    {
      name: names.claimCode,
      language,
      category: "AUTHENTICATION",
      components: [
        { type: "BODY", add_security_recommendation: true },
        { type: "BUTTONS", buttons: [{ type: "OTP", otp_type: "COPY_CODE" }] },
      ],
    },
  ];
}
