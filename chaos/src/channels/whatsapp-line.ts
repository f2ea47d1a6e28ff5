import { z } from "zod";
import { type Card, type Fault, Line, type LineOptions, type Seen, type Shown } from "./line.ts";

/** People of the simulator by their keys. */
const TRAVELER = "traveler";
const APPROVER = "approver";
const GUEST = "guest";
const GUEST_PHONE = "+12025550104";

const Message = z.object({
  id: z.string(),
  isOwn: z.boolean(),
  text: z.string(),
  buttons: z.array(z.object({ label: z.string(), value: z.string() })),
});
const Person = z.object({
  key: z.string(),
  phone: z.string().nullable(),
  userId: z.string(),
  messages: z.array(Message),
});
const State = z.object({ whatsapp: z.object({ people: z.array(Person) }) });

export const WHATSAPP = { kind: "whatsapp" };

/** A number on WhatsApp: nobody can be asked whether a message arrived, and none can be changed. */
export class WhatsAppLine extends Line {
  readonly kind = "whatsapp";
  readonly places = [APPROVER];
  readonly approverCodes = "approver-codes";
  readonly guestAddress = GUEST_PHONE;
  readonly faults: readonly [Fault, ...Fault[]] = [
    ["/whatsapp/api/", "lost_answer"],
    ["/whatsapp/api/", "reset"],
    ["/whatsapp/api/", "rate_limited"],
    ["/whatsapp/api/", "away"],
    ["/_events/whatsapp", "duplicated"],
  ];
  #names: readonly string[] = [];

  constructor(options: LineOptions) {
    super(options);
  }

  get travelerNames(): readonly string[] {
    return this.#names;
  }

  async read(): Promise<Seen> {
    const { whatsapp } = State.parse(await this.play("GET", "state"));
    const find = (key: string) => whatsapp.people.find((one) => one.key === key);
    const traveler = find(TRAVELER);
    this.#names = traveler === undefined ? [] : [traveler.userId, ...(traveler.phone === null ? [] : [traveler.phone])];
    const list = (key: string) => (find(key)?.messages ?? []).map(toShown);
    return {
      talk: list(TRAVELER),
      cards: list(APPROVER).flatMap((message) => (isCard(message) ? [{ place: APPROVER, message }] : [])),
      guest: list(GUEST),
      all: whatsapp.people.flatMap(({ key }) => list(key)),
    };
  }

  async say(who: "traveler" | "approver", text: string): Promise<void> {
    await this.play("POST", "whatsapp/messages", { person: who, text });
  }

  answer(question: Shown, label: string): Promise<void> {
    return this.#press(TRAVELER, question, label);
  }

  decide({ message }: Card, label: string): Promise<void> {
    return this.#press(APPROVER, message, label);
  }

  async #press(person: string, { id: messageId, buttons }: Shown, label: string): Promise<void> {
    const value = buttons.find((one) => one.label === label)?.value ?? "";
    await this.play("POST", "whatsapp/presses", { person, messageId, value });
  }
}

const toShown = (message: z.output<typeof Message>): Shown => ({ ...message, onlyFor: null });

const isCard = ({ buttons }: Shown): boolean => buttons.some(({ label }) => label === "Approve");
