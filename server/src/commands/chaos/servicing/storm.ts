import { setTimeout as delay } from "node:timers/promises";
import type { z } from "zod";
import type { Answer, CallRequest } from "../client.ts";
import type { Random } from "../random.ts";
import { type Intent, isFinal, SUBJECT_OF, type Traveler } from "./journal.ts";
import { type Asker, type Plan, travel } from "./sequences.ts";

/** So many sequences are begun for each round; more, when these are through before the kills are. */
const SEQUENCES_PER_ROUND = 40;
const WORKERS = 12;
const FIRST_DAY = 30;
const DAYS = 200;
const ASKED_AGAIN = 40;
/** Without kills everything that is open is decided long before so many questions. */
const MOST_QUESTIONS = 120;
const PAUSE_BETWEEN_QUESTIONS_MILLISECONDS = 400;
const TOGETHER = 0.2;

/** A sequence that a round's end cut off goes over its answers and on from there. */
interface Sequence {
  number: number;
  traveler: Traveler;
  plan(): Plan;
  answers: Answer[];
}

export function createStorm(travelers: readonly [Traveler, ...Traveler[]], today: Temporal.PlainDate) {
  const intents = new Map<string, Intent>();
  const undecided: string[] = [];
  let waiting: Sequence[] = [];
  /** No more kills: what is not decided now never is. */
  let isCalm = false;
  let begun = 0;
  let ended = 0;

  function begin(random: Random): Sequence {
    begun += 1;
    const number = begun;
    const draws = random.fork(`sequence-${number}`);
    const date = today.add({ days: FIRST_DAY + (number % DAYS) });
    return {
      number,
      traveler: draws.pick(travelers),
      // The same decisions each time.
      plan: () => ({ random: draws.fork("plan"), date }),
      answers: [],
    };
  }

  function intentOf({ number, traveler }: Pick<Sequence, "number" | "traveler">, request: CallRequest) {
    const name = SUBJECT_OF[request.tool];
    if (name === undefined) return undefined;
    const subject = String(request.args[name]);
    const key = `${traveler.tenantId} ${request.tool} ${subject}`;
    const intent = intents.get(key) ?? { sequence: number, traveler, request, subject, answers: [] };
    intents.set(key, intent);
    return intent;
  }

  /** Sends the same call until its answer is final. */
  async function untilFinal(sequence: Sequence, request: CallRequest, signal: AbortSignal): Promise<Answer> {
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
      async ask<Result>(schema: z.ZodType<Result>, tool: string, args: CallRequest["args"]) {
        const request = { tool, args, userId: traveler.userId, keepResult: tool in SUBJECT_OF };
        const together = tool in SUBJECT_OF && random.chance(TOGETHER) ? 2 : 1;
        let answer = answers[position];
        position += 1;
        if (answer === undefined) {
          const all = await Promise.all(Array.from({ length: together }, () => untilFinal(sequence, request, signal)));
          answer = all.find(({ kind }) => kind === "ok") ?? all[0];
          if (answer === undefined) throw new Error("nobody asked");
          answers.push(answer);
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
    const plan = sequence.plan();
    try {
      await travel(askerOf(sequence, plan.random.fork("together"), signal), plan);
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
    await Promise.all(Array.from({ length: WORKERS }, worker));
    waiting = [...cutOff, ...waiting];
  }

  return {
    undecided,

    /** As it is now: what is answered later is not in it. */
    journal: (): Intent[] => [...intents.values()].map((intent) => ({ ...intent, answers: [...intent.answers] })),

    async run(random: Random, signal: AbortSignal): Promise<void> {
      isCalm = false;
      waiting.push(...Array.from({ length: SEQUENCES_PER_ROUND }, () => begin(random)));
      await work(() => waiting.shift() ?? begin(random), signal);
    },

    /** Without kills: everything that was cut off to its end, and then some of what was answered once more. */
    async askAgain(random: Random, signal: AbortSignal): Promise<void> {
      isCalm = true;
      await work(() => waiting.shift(), signal);
      for (const { sequence, traveler, request } of random.shuffle([...intents.values()]).slice(0, ASKED_AGAIN)) {
        await untilFinal({ number: sequence, traveler, plan: unplanned, answers: [] }, request, signal);
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

function unplanned(): never {
  throw new Error("nothing is planned");
}
