import { text, withDefault } from "./values.ts";

/** An app of the operator's own, which tenants install without making one. */
export const channelVariables = {
  slackClientId: text(
    "SLACK_CLIENT_ID",
    "Client id of the operator's Slack app, which tenants install. Unset: each tenant makes an app of its own.",
  ),
  slackClientSecret: text("SLACK_CLIENT_SECRET", "Client secret of the operator's Slack app."),
  slackSigningSecret: text("SLACK_SIGNING_SECRET", "Signing secret of the operator's Slack app."),
  slackApiUrl: withDefault("SLACK_API_URL", "https://slack.com/api", "Base URL of Slack's Web API.", (value) =>
    value.replace(/\/+$/, ""),
  ),
  whatsappAppSecret: text(
    "WHATSAPP_APP_SECRET",
    "App secret of the operator's app at Meta, which receives for all tenants' WhatsApp numbers. Unset: each tenant makes an app of its own.",
  ),
  whatsappVerifyToken: text("WHATSAPP_VERIFY_TOKEN", "Verify token of the operator's app at Meta: any long text."),
  whatsappApiUrl: withDefault(
    "WHATSAPP_API_URL",
    "https://graph.facebook.com/v25.0",
    "Base URL of WhatsApp's Cloud API, with its version.",
    (value) => value.replace(/\/+$/, ""),
  ),
};
