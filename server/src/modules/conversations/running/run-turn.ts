import type { Clock } from "../../../ports/clock.ts";
import type { Identity, Principal } from "../../../ports/identity.ts";
import type { LanguageModel, ModelMessage } from "../../../ports/language-model.ts";
import { ModelFailure } from "../../../ports/language-model.ts";
import type { Turns } from "../store.ts";
import type { Turn } from "../turns.ts";
import type { RunningTurn } from "./turn-runner.ts";

export interface LoopOptions {
  turns: Turns;
  languageModel: LanguageModel;
  identity: Pick<Identity, "findPrincipal">;
  clock: Clock;
}

/** Runs one turn to its end: the model's text is the reply. */
export async function runTurn(options: LoopOptions, running: RunningTurn): Promise<void> {
  const { turn, journal, caller } = running;
  const { languageModel, clock } = options;
  const begun = performance.now();
  const principal = caller?.principal ?? (await options.identity.findPrincipal(turn.keyId, { fresh: true }));
  if (!journal.hasStarted) journal.emit("turn_started", describeStart(turn));
  const model = { name: languageModel.name, inputTokens: 0, outputTokens: 0 };
  let problem: { code: string; detail: string } | undefined;
  try {
    const messages = await readMessages(options, running);
    const request = {
      instructions: "",
      locale: turn.locale,
      now: clock.now(),
      timeZone: "UTC",
      traveler: { userId: turn.ownerId, companions: [] },
      messages,
      tools: [],
      maximumOutputTokens: 4_000,
    };
    for await (const part of languageModel.step(request, running.stop.signal)) {
      if (part.type === "text") journal.text(part.text);
      if (part.type === "end") {
        model.inputTokens += part.usage.inputTokens;
        model.outputTokens += part.usage.outputTokens;
      }
    }
    journal.endStep({ text: journal.reply });
  } catch (error) {
    if (!(error instanceof ModelFailure)) throw error;
    problem = { code: error.code, detail: error.message };
  }
  await journal.end({
    status: problem === undefined ? "answered" : "failed",
    toolCalls: [],
    meterIds: [],
    price: 0n,
    model,
    problem,
    milliseconds: Math.round(performance.now() - begun),
    signingSecret: signingSecretFor(principal),
  });
}

/** A turn whose key is gone ends without a signature that anybody could check. */
const signingSecretFor = (principal: Principal | undefined): string => principal?.signingSecret ?? "";

async function readMessages({ turns }: LoopOptions, { turn }: RunningTurn): Promise<readonly ModelMessage[]> {
  const said = turn.number === 1 ? [] : await turns.turns(turn, turn.conversationId);
  const earlier = said.filter(({ turnId }) => turnId !== turn.id);
  return [
    ...earlier.flatMap(({ text, reply, createdAt }): ModelMessage[] => [
      ...(text === undefined ? [] : [{ role: "user", text, at: createdAt } as const]),
      { role: "assistant", text: reply ?? "", toolCalls: [] },
    ]),
    ...(turn.text === undefined ? [] : [{ role: "user", text: turn.text, at: turn.createdAt } as const]),
  ];
}

export function describeStart({
  conversationId,
  id,
  traceId,
  channel,
  locale,
}: Pick<Turn, "conversationId" | "id" | "traceId" | "channel" | "locale">) {
  return { conversationId, turnId: id, traceId, channel, locale };
}
