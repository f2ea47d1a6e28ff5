import type { TestService } from "../support/service.ts";
import { checkGoal, listOrders } from "./check-goal.ts";
import { type Dialogue, NEXT } from "./dialogue.ts";
import { prepareWorld } from "./prepare-world.ts";
import { renderDates } from "./render-dates.ts";
import { type Say, Talk, type Turn } from "./talk.ts";

const MOST_TURNS = 14;
const LOCALES = { en: "en-GB", de: "de-DE", es: "es-ES" } as const;

/**
 * The models' names of slots, by those of the dialogues. They are what a question is about, not how a message is read: they say
 * which of the traveler's answers fits.
 */
const SLOTS_BY_NAME: Readonly<Record<string, string>> = {};

export interface Outcome {
  readonly id: string;
  /** Empty: the goal is reached. */
  readonly missed: readonly string[];
  /** Something was bought, changed or cancelled that the goal does not name. */
  readonly wrongSpends: readonly string[];
  readonly turns: readonly Turn[];
}

/** Speaks the dialogue with the service, whose tenant must be its own. */
export async function runDialogue(service: TestService, dialogue: Dialogue): Promise<Outcome> {
  const today = Temporal.Now.plainDateISO("UTC");
  await prepareWorld(service, dialogue.given ?? [], today);
  const given = (await listOrders(service)).flatMap(({ orderId }) => orderId ?? []);
  const talk = new Talk(sayThrough(service), LOCALES[dialogue.language]);
  const speaker = new Speaker(dialogue, today);
  let said = speaker.next(undefined);
  while (said !== undefined && talk.turns.length < MOST_TURNS) said = speaker.next(await talk.say(said));
  return {
    id: dialogue.id,
    turns: talk.turns,
    ...(await checkGoal(service, dialogue, { calls: talk.calls, given, today })),
  };
}

/** Through the endpoint, as a web page does. */
function sayThrough({ send, apiKey }: TestService): Say {
  return async (message) => {
    const { status, text } = await send("/api/agent/dispatch", {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${apiKey}` },
      body: JSON.stringify({ channel: "web", ...message }),
    });
    if (status !== 200) throw new Error(`the turn was answered ${status}: ${text}`);
    return text.trimEnd().split("\n");
  };
}

/** Decides what the traveler says next. */
class Speaker {
  readonly #dialogue: Dialogue;
  readonly #today: Temporal.PlainDate;
  readonly #left: string[];
  readonly #answers = new Map<string, string[]>();

  constructor(dialogue: Dialogue, today: Temporal.PlainDate) {
    this.#dialogue = dialogue;
    this.#today = today;
    this.#left = [...dialogue.say];
    for (const [slot, texts] of Object.entries(dialogue.answers)) this.#answers.set(slot, [texts].flat());
  }

  /** Undefined: everything is said and nothing is asked. */
  next(turn: Turn | undefined): string | undefined {
    const text = this.#answer(turn) ?? this.#left.shift();
    return text === undefined ? undefined : renderDates(text, this.#dialogue.language, this.#today);
  }

  #answer(turn: Turn | undefined): string | undefined {
    const asked = turn?.status === "awaits_confirmation" ? "confirmation" : turn?.question;
    if (asked === undefined) return undefined;
    const texts = this.#answers.get(SLOTS_BY_NAME[asked] ?? asked);
    while (texts?.[0] === NEXT && this.#left.length === 0) texts.shift();
    const text = texts !== undefined && texts.length > 1 ? texts.shift() : texts?.[0];
    return text === NEXT ? undefined : text;
  }
}
