import { expect } from "vitest";
import { z } from "zod";
import { openVault } from "../../src/outside/vault.ts";
import type { ApprovalDesk } from "./approval-desk.ts";
import { until } from "./embedded-fixture.ts";
import type { TestService } from "./service.ts";

const Button = z.object({ label: z.string(), value: z.string() });
const Message = z.object({
  ts: z.string(),
  userId: z.string().nullable(),
  text: z.string(),
  buttons: z.array(Button),
  isEdited: z.boolean(),
  onlyFor: z.string().nullable(),
  files: z.array(z.object({ id: z.string(), name: z.string() })),
});
const State = z.object({
  slack: z.object({
    isRevoked: z.boolean(),
    conversations: z.array(z.object({ id: z.string(), messages: z.array(Message) })),
  }),
});
type ShownMessage = z.output<typeof Message>;

export const TRAVELER = "U0TRAVELER";
export const APPROVER = "U0APPROVER";
export const COLLEAGUE = "U0COLLEAGUE";
export const SHARED = "C0APPROVALS";
/** The conversation of a member with the app. */
export const direct = (userId: string): string => `D${userId.slice(1)}`;

/** A tenant's simulated Slack workspace, as its page plays it. */
export async function playSlack(service: TestService, desk: ApprovalDesk) {
  const body = { kind: "slack", approvalsIn: SHARED };
  const added = await desk.ask("/api/channels", body, service.operatorKey);
  expect(added.status, added.text).toBe(200);
  const channelId = String(added.body.id);
  const { playUrl } = z.object({ playUrl: z.string() }).parse(added.body.setUp);
  const { origin, searchParams } = new URL(playUrl);
  const base = `${origin}/_carriers/play/${searchParams.get("play")}`;
  const control = (await openVault(service.config)).deriveKey("carrier simulator control");
  // As the product derives it: it names the playground in faults, so that no other test meets them.
  const playground = await findPlayground();

  async function findPlayground(): Promise<string> {
    const answer = await fetch(`${base}/id`);
    return z.object({ id: z.string() }).parse(await answer.json()).id;
  }

  async function post(path: string, json: object): Promise<number> {
    const headers = { "content-type": "application/json" };
    return (await fetch(`${base}/${path}`, { method: "POST", headers, body: JSON.stringify(json) })).status;
  }

  async function list(place: string): Promise<readonly ShownMessage[]> {
    const { slack } = State.parse(await (await fetch(`${base}/state`)).json());
    return slack.conversations.find(({ id }) => id === place)?.messages ?? [];
  }

  /** Waits for a message that contains the text. */
  async function see(place: string, text: string): Promise<ShownMessage> {
    return await until(async () =>
      (await list(place)).findLast((message) => message.userId === null && message.text.includes(text)),
    );
  }

  const say = async (userId: string, text: string, channel = direct(userId)) =>
    expect(await post("slack/messages", { userId, channel, text })).toBe(201);

  return {
    base,
    playUrl,
    channelId,
    playground,
    list,
    see,
    say,
    press: (
      userId: string,
      channel: string,
      { ts, buttons }: { ts: string; buttons: readonly z.output<typeof Button>[] },
      label: string,
    ) => post("slack/presses", { userId, channel, ts, value: buttons.find((one) => one.label === label)?.value ?? "" }),
    control: (path: string, json?: object, method = "POST") =>
      fetch(`${origin}/_carriers/control/${path}`, {
        method,
        headers: { authorization: `Bearer ${control}`, "content-type": "application/json" },
        ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      }),
    /** Proves in the app who the member is. */
    async link(userId: string, key: string, codes = "approver-codes") {
      const issued = await desk.ask(`/api/channels/${channelId}/${codes}`, undefined, key, "POST");
      expect(issued.status, issued.text).toBe(200);
      await say(userId, String(issued.body.code));
      await see(direct(userId), "You are linked");
    },
  };
}

export type SlackPlay = Awaited<ReturnType<typeof playSlack>>;
