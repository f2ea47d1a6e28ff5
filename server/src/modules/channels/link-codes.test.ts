import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ApprovalDesk } from "../../../test/support/approval-desk.ts";
import { CHAT_KINDS, type ChatKind, type ChatPlay, playChats } from "../../../test/support/chat-plays.ts";
import type { TestService } from "../../../test/support/service.ts";
import { openSharedService } from "../../../test/support/shared-service.ts";
import { DEMO_TRAVELER_ID } from "../../domain/user-ids.ts";

/** Codes with which people prove in a chat who they are. */

let service: TestService;
let desk: ApprovalDesk;
let plays: Record<ChatKind, ChatPlay>;
beforeAll(async () => {
  service = await openSharedService();
  desk = new ApprovalDesk(service);
  plays = await playChats(service, desk);
});
afterAll(() => service?.[Symbol.asyncDispose]());

describe.each(CHAT_KINDS)("a code by %s", (kind) => {
  async function issue(): Promise<string> {
    const path = `/api/channels/${plays[kind].channelId}/link-codes?userId=${DEMO_TRAVELER_ID}`;
    const { status, body, text } = await desk.ask(path, undefined, service.apiKey, "POST");
    expect(status, text).toBe(200);
    return String(body.code);
  }
  /** Says it, and returns the answer. */
  async function say(member: "traveler" | "colleague", text: string): Promise<string> {
    const before = (await plays[kind].listReceived(member)).length;
    await plays[kind].say(member, text);
    const later = async () => (await plays[kind].listReceived(member)).slice(before);
    await expect.poll(later).toHaveLength(1);
    return (await later())[0]?.text ?? "";
  }
  const isLinked = async (member: "traveler" | "colleague") => {
    const answer = await say(member, "new");
    return answer.includes("This is a new conversation");
  };

  it("counts once, for whoever is first, within ten minutes, and a few may be tried", async () => {
    const code = await issue();
    expect(await say("traveler", code)).toContain("You are linked");
    expect(await say("colleague", code)).toContain("That code is not valid");
    const late = await issue();
    await service.sql("update channel_code set expires_at = now() where channel_id = $1", [plays[kind].channelId]);
    expect(await say("colleague", late)).toContain("That code is not valid");
    expect([await isLinked("traveler"), await isLinked("colleague")]).toEqual([true, false]);
    for (let tried = 2; tried < 5; tried += 1) {
      expect(await say("colleague", `AAAA-BBB${tried}`)).toContain("That code is not valid");
    }
    const right = await issue();
    expect(await say("colleague", right)).toContain("Too many codes were tried");
    expect(await isLinked("colleague")).toBe(false);
    // Control: the same code counts once the time is over, in other letters of the same meaning.
    await service.sql("update conversation_link_attempt set attempts = 0 where tenant_id = $1", [service.tenantId]);
    expect(await say("colleague", right.toLowerCase().replace("-", " "))).toContain("You are linked");
    expect(await isLinked("colleague")).toBe(true);
  });
});

it("a code for one channel proves nothing in another", async () => {
  const { channelId } = plays.slack;
  const path = `/api/channels/${channelId}/link-codes?userId=${DEMO_TRAVELER_ID}`;
  const code = String((await desk.ask(path, undefined, service.apiKey, "POST")).body.code);
  await plays.whatsapp.say("approver", code);
  await plays.whatsapp.see("approver", "That code is not valid");
  // Control: there it is good.
  await plays.slack.say("approver", code);
  await plays.slack.see("approver", "You are linked");
});
