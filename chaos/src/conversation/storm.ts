import { setTimeout as delay } from "node:timers/promises";
import type { Random } from "../random.ts";
import { type Dialogue, drawDialogue, SLOT_ANSWERS, type Style } from "./dialogues.ts";
import type { EndedTurn, Said, Talker } from "./talker.ts";

const WORKERS = 8;
const MOST_TURNS = 12;
const MOST_REST_MILLISECONDS = 400;
const SAID_AGAIN = 30;

/** A dialogue as far as it has come. */
export interface Played {
  readonly dialogue: Dialogue;
  readonly draws: Random;
  conversationId: string | undefined;
  readonly turns: EndedTurn[];
  /** Said, and without the end of their turns: one or several at once. */
  pending: readonly Said[];
  readonly said: Said[];
  isOver: boolean;
  /** Why it could not go on. */
  failure: string | undefined;
}

/** Travelers who talk until they have what they want, whatever happens to the service; a round's end only interrupts them. */
export class DialogueStorm {
  readonly played: Played[] = [];
  readonly #talker: Talker;
  readonly #style: Style;
  readonly #share: number;
  readonly #today = Temporal.Now.plainDateISO("UTC");
  #waiting: Played[] = [];

  constructor(talker: Talker, style: Style, share: number) {
    this.#talker = talker;
    this.#style = style;
    this.#share = share;
  }

  async run(random: Random, signal: AbortSignal): Promise<void> {
    await this.#work(() => this.#waiting.shift() ?? this.#begin(random), signal);
  }

  /** Without kills: what was interrupted to its end, and then some messages once more. */
  async askAgain(random: Random, signal: AbortSignal): Promise<void> {
    await this.#work(() => this.#waiting.shift(), signal);
    const all = this.played.flatMap(({ dialogue, said }) => said.map((one) => ({ userId: dialogue.userId, one })));
    for (const { userId, one } of random.shuffle(all).slice(0, SAID_AGAIN)) {
      await this.#talker.say({ ...one, turnId: undefined, first: undefined }, userId, random, signal);
    }
  }

  #begin(random: Random): Played {
    const number = this.played.length + 1;
    const draws = random.fork(`dialogue-${number}`);
    const dialogue = drawDialogue(this.#style, draws.fork("plan"), number, this.#today);
    const played: Played = {
      dialogue,
      draws,
      conversationId: undefined,
      turns: [],
      pending: [],
      said: [],
      isOver: false,
      failure: undefined,
    };
    this.played.push(played);
    return played;
  }

  async #work(next: () => Played | undefined, signal: AbortSignal): Promise<void> {
    const interrupted: Played[] = [];
    const worker = async (): Promise<void> => {
      while (!signal.aborted) {
        const played = next();
        if (played === undefined) return;
        try {
          await this.#play(played, signal);
        } catch (error) {
          if (!signal.aborted) played.failure = error instanceof Error ? error.message : String(error);
          else interrupted.push(played);
        }
      }
    };
    await Promise.all(Array.from({ length: Math.ceil(WORKERS * this.#share) }, worker));
    this.#waiting = [...interrupted, ...this.#waiting];
  }

  async #play(played: Played, signal: AbortSignal): Promise<void> {
    const { dialogue, draws, turns } = played;
    while (!played.isOver) {
      if (played.pending.length === 0) {
        await delay(draws.between(0, MOST_REST_MILLISECONDS), undefined, { signal });
        this.#choosePending(played);
      }
      const { pending } = played;
      const ended = await Promise.all(pending.map((said) => this.#talker.say(said, dialogue.userId, draws, signal)));
      turns.push(...ended);
      played.conversationId ??= ended[0]?.conversationId;
      played.pending = [];
      played.isOver = turns.length >= MOST_TURNS || nextTexts(played) === undefined;
    }
  }

  #choosePending(played: Played): void {
    const { dialogue, said, conversationId } = played;
    const texts = nextTexts(played) ?? [];
    played.pending = texts.map((text, index) => {
      const key = `talk-${dialogue.number}-${said.length + index}`;
      return { key, text, to: conversationId, conversationId, turnId: undefined, first: undefined };
    });
    said.push(...played.pending);
  }
}

/** Undefined: nothing is left to say. */
function nextTexts({ dialogue, turns, said }: Played): readonly string[] | undefined {
  const last = turns.at(-1);
  if (last === undefined) return [dialogue.opening];
  if (last.status === "awaits_confirmation") return dialogue.answers;
  if (isDone(turns) || turns.some(({ status }) => status === "awaits_confirmation")) return undefined;
  const answer = SLOT_ANSWERS[last.question ?? ""];
  if (answer !== undefined && last.question !== "choice") return [answer];
  const further = dialogue.further.find((text) => !said.some((one) => one.text === text));
  if (further !== undefined) return [further];
  return answer === undefined ? undefined : [answer];
}

const isDone = (turns: readonly EndedTurn[]): boolean =>
  turns.some(({ calls }) => calls.some(({ tool, outcome }) => outcome === "ok" && SPENDS.has(tool)));

/** The tools that dialogues end with. */
export const SPENDS: ReadonlySet<string> = new Set(["book_flight", "send_tokens"]);
