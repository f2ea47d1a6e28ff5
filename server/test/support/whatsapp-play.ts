import { expect } from "vitest";
import { z } from "zod";
import { openVault } from "../../src/outside/vault.ts";
import type { ApprovalDesk } from "./approval-desk.ts";
import { until } from "./embedded-fixture.ts";
import type { TestService } from "./service.ts";

const Message = z.object({
  id: z.string(),
  isOwn: z.boolean(),
  text: z.string(),
  buttons: z.array(z.object({ label: z.string(), value: z.string() })),
  type: z.string(),
  status: z.string(),
  files: z.array(z.object({ id: z.string(), name: z.string() })),
});
const State = z.object({
  whatsapp: z.object({
    people: z.array(
      z.object({ key: z.string(), phone: z.string().nullable(), userId: z.string(), messages: z.array(Message) }),
    ),
  }),
});
export type ChatMessage = z.output<typeof Message>;

/** Everybody in the simulator: two with a phone number, one without, and one who never wrote. */
export const TRAVELER = "traveler";
export const APPROVER = "approver";
export const COLLEAGUE = "colleague";
export const GUEST = "guest";
export const GUEST_PHONE = "+12025550104";

/** A tenant's simulated number on WhatsApp, as its page plays it. */
export async function playWhatsApp(service: TestService, desk: ApprovalDesk) {
  const added = await desk.ask("/api/channels", { kind: "whatsapp" }, service.operatorKey);
  expect(added.status, added.text).toBe(200);
  const channelId = String(added.body.id);
  const setUp = z.object({ playUrl: z.string(), verifyToken: z.string() }).parse(added.body.setUp);
  const { origin, searchParams } = new URL(setUp.playUrl);
  const base = `${origin}/_carriers/play/${searchParams.get("play")}`;
  const control = (await openVault(service.config)).deriveKey("carrier simulator control");
  // It names the playground in faults, so that no other test meets them.
  const playground = z.object({ id: z.string() }).parse(await (await fetch(`${base}/id`)).json()).id;

  async function post(path: string, json: object): Promise<number> {
    const headers = { "content-type": "application/json" };
    return (await fetch(`${base}/whatsapp/${path}`, { method: "POST", headers, body: JSON.stringify(json) })).status;
  }

  async function findPerson(key: string) {
    const { whatsapp } = State.parse(await (await fetch(`${base}/state`)).json());
    const person = whatsapp.people.find((one) => one.key === key);
    if (person === undefined) throw new Error(`there is no ${key}`);
    return person;
  }

  const list = async (key: string): Promise<readonly ChatMessage[]> => (await findPerson(key)).messages;

  /** Waits for a message of the business that contains the text. */
  const see = (key: string, text: string): Promise<ChatMessage> =>
    until(async () => (await list(key)).findLast((message) => !message.isOwn && message.text.includes(text)));

  const say = async (key: string, text: string, more: object = {}) =>
    expect(await post("messages", { person: key, text, ...more })).toBe(201);

  return {
    ...setUp,
    base,
    channelId,
    playground,
    findPerson,
    list,
    see,
    say,
    press: (
      key: string,
      { id: messageId, buttons }: { id: string; buttons: readonly { label: string; value: string }[] },
      label: string,
    ) =>
      post("presses", {
        person: key,
        messageId,
        value: buttons.find((one) => one.label === label)?.value ?? "",
      }),
    post,
    /** The person wrote last so many hours ago: the simulator and the product know it. */
    async beSilent(key: string, hours: number) {
      expect(await post("silences", { person: key, hours })).toBe(201);
      const { userId, phone } = await findPerson(key);
      await service.sql(
        `update channel_person set last_message_at = now() - make_interval(hours => $1)
         where channel_id = $2 and external_id in ($3, $4)`,
        [hours, channelId, userId, phone],
      );
    },
    async arm(fault: string, path = "/whatsapp/api/", times = 1) {
      const answer = await fetch(`${origin}/_carriers/control/faults`, {
        method: "POST",
        headers: { authorization: `Bearer ${control}`, "content-type": "application/json" },
        body: JSON.stringify({ path, playground, fault, times }),
      });
      expect(answer.status).toBe(201);
    },
    /** Proves on WhatsApp who the person is. */
    async link(key: string, apiKey: string, codes = "approver-codes") {
      const issued = await desk.ask(`/api/channels/${channelId}/${codes}`, undefined, apiKey, "POST");
      expect(issued.status, issued.text).toBe(200);
      await say(key, String(issued.body.code));
      await see(key, "You are linked");
    },
  };
}

export type WhatsAppPlay = Awaited<ReturnType<typeof playWhatsApp>>;
