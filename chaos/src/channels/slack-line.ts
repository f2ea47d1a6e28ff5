import { z } from "zod";
import { type Card, type Fault, Line, type LineOptions, type Seen, type Shown } from "./line.ts";

/** The members of a simulated workspace, and where approvers read together. */
const TRAVELER = "U0TRAVELER";
const APPROVER = "U0APPROVER";
const COLLEAGUE = "U0COLLEAGUE";
const SHARED = "C0APPROVALS";
/** The conversation of a member with the app. */
const direct = (member: string): string => `D${member.slice(1)}`;

const Message = z.object({
  ts: z.string(),
  userId: z.string().nullable(),
  text: z.string(),
  buttons: z.array(z.object({ label: z.string(), value: z.string() })),
  onlyFor: z.string().nullable(),
});
const State = z.object({
  slack: z.object({ conversations: z.array(z.object({ id: z.string(), messages: z.array(Message) })) }),
});

export const SLACK = { kind: "slack", approvalsIn: SHARED };

/** A workspace: a card of the approver is in two places, and is replaced once it is decided. */
export class SlackLine extends Line {
  readonly kind = "slack";
  readonly places = [direct(APPROVER), SHARED];
  readonly travelerNames = [TRAVELER];
  readonly approverCodes = "approver-codes";
  readonly guestAddress = COLLEAGUE;
  readonly faults: readonly [Fault, ...Fault[]] = [
    ["/slack/api/chat.postMessage", "lost_answer"],
    ["/slack/api/chat.postMessage", "reset"],
    ["/slack/api/chat.postMessage", "rate_limited"],
    ["/slack/api/chat.postMessage", "away"],
    ["/slack/api/chat.update", "reset"],
    ["/_events/slack", "duplicated"],
  ];

  constructor(options: LineOptions) {
    super(options);
  }

  async read(): Promise<Seen> {
    const { slack } = State.parse(await this.play("GET", "state"));
    const places = new Map(slack.conversations.map(({ id, messages }) => [id, messages.map(toShown)]));
    return {
      talk: places.get(direct(TRAVELER)) ?? [],
      cards: this.places.flatMap((place) =>
        (places.get(place) ?? []).filter(isCard).map((message) => ({ place, message })),
      ),
      guest: places.get(direct(COLLEAGUE)) ?? [],
      all: [...places.values()].flat(),
    };
  }

  async say(who: "traveler" | "approver", text: string): Promise<void> {
    const userId = who === "traveler" ? TRAVELER : APPROVER;
    await this.play("POST", "slack/messages", { userId, channel: direct(userId), text });
  }

  answer(question: Shown, label: string): Promise<void> {
    return this.#press(TRAVELER, direct(TRAVELER), question, label);
  }

  decide({ place, message }: Card, label: string): Promise<void> {
    return this.#press(APPROVER, place, message, label);
  }

  async #press(userId: string, channel: string, { id: ts, buttons }: Shown, label: string): Promise<void> {
    const value = buttons.find((one) => one.label === label)?.value ?? "";
    await this.play("POST", "slack/presses", { userId, channel, ts, value });
  }
}

const toShown = ({ ts, userId, ...shown }: z.output<typeof Message>): Shown => ({
  ...shown,
  id: ts,
  isOwn: userId !== null,
});

const isCard = ({ buttons }: Shown): boolean => buttons.some(({ label }) => label === "Approve");
