import { randomBytes } from "node:crypto";
import { type Answer, type Question, refuse } from "../http/answer.ts";
import type { Playgrounds } from "../play/playground.ts";
import { issueOauthCode } from "./web-api.ts";

/** Slack's page for installing an app. Here the workspace agrees at once. Undefined: another page. */
export function answerInstall(playgrounds: Playgrounds, { method, path, query }: Question): Answer | undefined {
  if (method !== "GET" || path !== "/slack/oauth/v2/authorize") return undefined;
  const clientId = query.get("client_id");
  const workspace = playgrounds.findSlack(({ setup }) => setup.clientId === clientId)?.slack;
  const back = URL.parse(query.get("redirect_uri") ?? "");
  if (workspace === undefined || back === null) return refuse(400, "invalid_client_id or bad_redirect_uri");
  const code = randomBytes(16).toString("hex");
  issueOauthCode(workspace, code);
  back.searchParams.set("code", code);
  back.searchParams.set("state", query.get("state") ?? "");
  return { status: 302, body: "", headers: { location: back.href } };
}
