import { setTimeout as delay } from "node:timers/promises";
import { outputSchemas } from "../../server/src/contributions.ts";
import type { ToolMap } from "../../server/src/modules/index.ts";
import { type Answer, type CallRequest, isFinal } from "./call.ts";
import type { Asker, Intent, Traveler } from "./intents.ts";
import type { Random } from "./random.ts";

/** The behaviour of travelers, one call after the other, determined by the random decisions and by the answers. */
export interface Sequences<Plan> {
  /** So many are begun for each round; more, when these are through before the kills are. */
  perRound: number;
  /** So many at once. */
  workers: number;
  /** The subject of a request's effect, which is wanted once however often it is requested; undefined if it has no such effect. */
  findSubject(request: Pick<CallRequest, "tool" | "args" | "key">): string | undefined;
  /** The same for the same draws. */
  plan(random: Random, number: number): Plan;
  play(asker: Asker, plan: Plan): Promise<void>;
}

const ASKED_AGAIN = 40;
/** Without kills everything that is open is decided long before so many questions. */
const MOST_QUESTIONS = 600;
const PAUSE_BETWEEN_QUESTIONS_MILLISECONDS = 400;
const TOGETHER = 0.2;

/** A sequence that a round's end cut off goes over its answers and on from there. */
interface Sequence {
  number: number;
  traveler: Traveler;
  draws: Random;
  /** By the place of their call in the sequence. */
  answers: (Answer | undefined)[];
}

type Travelers = readonly [Traveler, ...Traveler[]];

/** Sequences of several travelers at once, each call repeated until its answer is final. */
export class SequenceStorm<Plan> {
  readonly undecided: string[] = [];
  readonly #travelers: Travelers;
  readonly #sequences: Sequences<Plan>;
  readonly #share: number;
  readonly #intents = new Map<string, Intent>();
  #waiting: Sequence[] = [];
  /** No more kills: what is not decided now never is. */
  #isCalm = false;
  #begun = 0;
  #ended = 0;

  constructor(travelers: Travelers, sequences: Sequences<Plan>, share: number) {
    this.#travelers = travelers;
    this.#sequences = sequences;
    this.#share = share;
  }

  get begun(): number {
    return this.#begun;
  }

  /** As it is now: what is answered later is not in it. */
  journal(): Intent[] {
    return [...this.#intents.values()].map((intent) => ({ ...intent, answers: [...intent.answers] }));
  }

  async run(random: Random, signal: AbortSignal): Promise<void> {
    this.#isCalm = false;
    const count = Math.ceil(this.#sequences.perRound * this.#share);
    this.#waiting.push(...Array.from({ length: count }, () => this.#begin(random)));
    await this.#work(() => this.#waiting.shift() ?? this.#begin(random), signal);
  }

  /** Without kills: everything that was cut off to its end, and then some of what was answered once more. */
  async askAgain(random: Random, signal: AbortSignal): Promise<void> {
    this.#isCalm = true;
    await this.#work(() => this.#waiting.shift(), signal);
    const some = random.shuffle([...this.#intents.values()]).slice(0, ASKED_AGAIN);
    for (const { sequence, traveler, request } of some) {
      await this.#untilFinal({ number: sequence, traveler }, request, signal);
    }
  }

  notes(): string[] {
    const byTool = Map.groupBy(this.#intents.values(), ({ request }) => request.tool);
    const counts = [...byTool].map(([tool, all]) => `${tool} ${all.length}`);
    return [`sequences     ${this.#begun} begun, ${this.#ended} came to their end; intents: ${counts.join(", ")}`];
  }

  #begin(random: Random): Sequence {
    this.#begun += 1;
    const draws = random.fork(`sequence-${this.#begun}`);
    return { number: this.#begun, traveler: draws.pick(this.#travelers), draws, answers: [] };
  }

  #openIntent({ number, traveler }: Pick<Sequence, "number" | "traveler">, request: CallRequest): Intent | undefined {
    const subject = this.#sequences.findSubject(request);
    if (subject === undefined) return undefined;
    const key = `${traveler.tenantId} ${request.tool} ${subject}`;
    const intent = this.#intents.get(key) ?? { sequence: number, traveler, request, subject, answers: [] };
    this.#intents.set(key, intent);
    return intent;
  }

  /** Sends the same call until its answer is final. */
  async #untilFinal(
    sequence: Pick<Sequence, "number" | "traveler">,
    request: CallRequest,
    signal: AbortSignal,
  ): Promise<Answer> {
    const intent = this.#openIntent(sequence, request);
    for (let tries = 1; ; tries += this.#isCalm ? 1 : 0) {
      const answer = await sequence.traveler.client.call(request, signal);
      signal.throwIfAborted();
      intent?.answers.push(answer);
      if (isFinal(answer)) return answer;
      if (tries === MOST_QUESTIONS)
        this.undecided.push(`${request.tool} of sequence ${sequence.number}: ${answer.kind}`);
      await delay(PAUSE_BETWEEN_QUESTIONS_MILLISECONDS, undefined, { signal });
    }
  }

  #makeAsker(sequence: Sequence, random: Random, signal: AbortSignal): Asker {
    const { answers, traveler } = sequence;
    const isWantedOnce = (request: Pick<CallRequest, "tool" | "args" | "key">) =>
      this.#sequences.findSubject(request) !== undefined;
    const untilFinal = (request: CallRequest) => this.#untilFinal(sequence, request, signal);
    let position = 0;
    return {
      async ask<Name extends keyof ToolMap>(tool: Name, args: ToolMap[Name]["input"], key?: string) {
        const keepResult = isWantedOnce({ tool, args, key });
        const request = { tool, args, userId: traveler.userId, key, keepResult };
        const callers = keepResult && random.chance(TOGETHER) ? 2 : 1;
        const place = position;
        position += 1;
        let answer = answers[place];
        if (answer === undefined) {
          const all = await Promise.all(Array.from({ length: callers }, () => untilFinal(request)));
          answer = all.find(({ kind }) => kind === "ok") ?? all[0];
          if (answer === undefined) throw new Error("nobody asked");
          answers[place] = answer;
        }
        if (answer.kind === "ok") return { result: outputSchemas[tool].parse(answer.result) };
        return { refused: answer.code };
      },
      async rest(milliseconds) {
        if (position >= answers.length) await delay(milliseconds, undefined, { signal });
      },
    };
  }

  /** False: it was cut off. */
  async #play(sequence: Sequence, signal: AbortSignal): Promise<boolean> {
    const { draws, number } = sequence;
    const { plan, play } = this.#sequences;
    try {
      // The same decisions each time.
      await play(this.#makeAsker(sequence, draws.fork("together"), signal), plan(draws.fork("plan"), number));
    } catch (error) {
      if (signal.aborted) return false;
      throw error;
    }
    this.#ended += 1;
    return true;
  }

  async #work(next: () => Sequence | undefined, signal: AbortSignal): Promise<void> {
    const cutOff: Sequence[] = [];
    const worker = async (): Promise<void> => {
      while (!signal.aborted) {
        const sequence = next();
        if (sequence === undefined) return;
        if (!(await this.#play(sequence, signal))) cutOff.push(sequence);
      }
    };
    const count = Math.ceil(this.#sequences.workers * this.#share);
    await Promise.all(Array.from({ length: count }, worker));
    this.#waiting = [...cutOff, ...this.#waiting];
  }
}
