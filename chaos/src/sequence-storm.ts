import { setTimeout as delay } from "node:timers/promises";
import type { z } from "zod";
import type { Answer, CallRequest } from "./call.ts";
import { type Asker, type Intent, isFinal, type Traveler } from "./intents.ts";
import type { Random } from "./random.ts";

/** What travelers do, one call after the other; everything follows from the random decisions and from the answers. */
export interface Sequences<Plan> {
  /** So many are begun for each round; more, when these are through before the kills are. */
  perRound: number;
  /** So many at once. */
  workers: number;
  /** What a request's effect is about, which is wanted once however often it is asked for; undefined: it has no such effect. */
  subjectOf(request: Pick<CallRequest, "tool" | "args" | "key">): string | undefined;
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

export function createSequenceStorm<Plan>(
  travelers: readonly [Traveler, ...Traveler[]],
  { subjectOf, plan, play, ...load }: Sequences<Plan>,
  share: number,
) {
  const [perRound, workers] = [Math.ceil(load.perRound * share), Math.ceil(load.workers * share)];
  const intents = new Map<string, Intent>();
  const undecided: string[] = [];
  let waiting: Sequence[] = [];
  /** No more kills: what is not decided now never is. */
  let isCalm = false;
  let begun = 0;
  let ended = 0;

  function begin(random: Random): Sequence {
    begun += 1;
    const draws = random.fork(`sequence-${begun}`);
    return { number: begun, traveler: draws.pick(travelers), draws, answers: [] };
  }

  function intentOf({ number, traveler }: Pick<Sequence, "number" | "traveler">, request: CallRequest) {
    const subject = subjectOf(request);
    if (subject === undefined) return undefined;
    const key = `${traveler.tenantId} ${request.tool} ${subject}`;
    const intent = intents.get(key) ?? { sequence: number, traveler, request, subject, answers: [] };
    intents.set(key, intent);
    return intent;
  }

  /** Sends the same call until its answer is final. */
  async function untilFinal(
    sequence: Pick<Sequence, "number" | "traveler">,
    request: CallRequest,
    signal: AbortSignal,
  ): Promise<Answer> {
    const intent = intentOf(sequence, request);
    for (let tries = 1; ; tries += isCalm ? 1 : 0) {
      const answer = await sequence.traveler.client.call(request, signal);
      signal.throwIfAborted();
      intent?.answers.push(answer);
      if (isFinal(answer)) return answer;
      if (tries === MOST_QUESTIONS) undecided.push(`${request.tool} of sequence ${sequence.number}: ${answer.kind}`);
      await delay(PAUSE_BETWEEN_QUESTIONS_MILLISECONDS, undefined, { signal });
    }
  }

  function askerOf(sequence: Sequence, random: Random, signal: AbortSignal): Asker {
    const { answers, traveler } = sequence;
    let position = 0;
    return {
      async ask<Result>(schema: z.ZodType<Result>, tool: string, args: CallRequest["args"], key?: string) {
        const isWantedOnce = subjectOf({ tool, args, key }) !== undefined;
        const request = { tool, args, userId: traveler.userId, key, keepResult: isWantedOnce };
        const together = isWantedOnce && random.chance(TOGETHER) ? 2 : 1;
        const place = position;
        position += 1;
        let answer = answers[place];
        if (answer === undefined) {
          const all = await Promise.all(Array.from({ length: together }, () => untilFinal(sequence, request, signal)));
          answer = all.find(({ kind }) => kind === "ok") ?? all[0];
          if (answer === undefined) throw new Error("nobody asked");
          answers[place] = answer;
        }
        if (answer.kind === "ok") return { result: schema.parse(answer.result) };
        return { refused: answer.code };
      },
      async rest(milliseconds) {
        if (position >= answers.length) await delay(milliseconds, undefined, { signal });
      },
    };
  }

  /** False: it was cut off. */
  async function run(sequence: Sequence, signal: AbortSignal): Promise<boolean> {
    const { draws, number } = sequence;
    try {
      // The same decisions each time.
      await play(askerOf(sequence, draws.fork("together"), signal), plan(draws.fork("plan"), number));
    } catch (error) {
      if (signal.aborted) return false;
      throw error;
    }
    ended += 1;
    return true;
  }

  async function work(next: () => Sequence | undefined, signal: AbortSignal): Promise<void> {
    const cutOff: Sequence[] = [];
    const worker = async (): Promise<void> => {
      while (!signal.aborted) {
        const sequence = next();
        if (sequence === undefined) return;
        if (!(await run(sequence, signal))) cutOff.push(sequence);
      }
    };
    await Promise.all(Array.from({ length: workers }, worker));
    waiting = [...cutOff, ...waiting];
  }

  return {
    undecided,

    /** As it is now: what is answered later is not in it. */
    journal: (): Intent[] => [...intents.values()].map((intent) => ({ ...intent, answers: [...intent.answers] })),

    async run(random: Random, signal: AbortSignal): Promise<void> {
      isCalm = false;
      waiting.push(...Array.from({ length: perRound }, () => begin(random)));
      await work(() => waiting.shift() ?? begin(random), signal);
    },

    /** Without kills: everything that was cut off to its end, and then some of what was answered once more. */
    async askAgain(random: Random, signal: AbortSignal): Promise<void> {
      isCalm = true;
      await work(() => waiting.shift(), signal);
      for (const { sequence, traveler, request } of random.shuffle([...intents.values()]).slice(0, ASKED_AGAIN)) {
        await untilFinal({ number: sequence, traveler }, request, signal);
      }
    },

    notes(): string[] {
      const counts = [...Map.groupBy(intents.values(), ({ request }) => request.tool)].map(
        ([tool, all]) => `${tool} ${all.length}`,
      );
      return [`sequences     ${begun} begun, ${ended} came to their end; intents: ${counts.join(", ")}`];
    },
  };
}
