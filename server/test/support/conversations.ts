import { z } from "zod";
import type { AppOptions } from "../../src/compose.ts";
import { newId, systemRandom } from "../../src/domain/ids.ts";
import type { Parts } from "../../src/kernel/contracts/whole.ts";
import {
  type BeginTurn,
  type BegunTurn,
  type ConversationOwner,
  type Conversations,
  type StoredEvent,
  toConversationOwner,
} from "../../src/modules/conversations/conversations.ts";
import { createConversations } from "../../src/modules/conversations/kept-conversations.ts";
import { RowWaits } from "../../src/platform/leased-queue/row-waits.ts";
import { systemClock } from "../../src/ports/clock.ts";
import type { Principal } from "../../src/ports/identity.ts";
import type { LanguageModel, ModelPart, ModelRequest } from "../../src/ports/language-model.ts";
import { startTestService } from "./service.ts";

/** One step of a scripted model. */
type Step = (request: ModelRequest, signal: AbortSignal) => AsyncIterable<ModelPart> | readonly ModelPart[];

/** A model whose steps a test writes down. Each conversation has its own, by the text of its first message. */
class ScriptedModel implements LanguageModel {
  readonly name = "scripted";
  readonly kind = "generative";
  readonly requests: ModelRequest[] = [];
  readonly #scripts = new Map<string, Step[]>();

  /** The steps of the conversation that begins with this text. */
  script(firstText: string, ...steps: Step[]): void {
    this.#scripts.set(firstText, steps);
  }

  async *step(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelPart> {
    this.requests.push(request);
    const first = request.messages.find((message) => message.role === "user");
    const steps = this.#scripts.get(first?.role === "user" ? first.text : "");
    const next = steps === undefined || steps.length === 0 ? () => say("Done.") : steps.shift();
    if (next !== undefined) yield* next(request, signal);
  }
}

export const END: ModelPart = { type: "end", reason: "done", usage: { inputTokens: 10, outputTokens: 5 } };

export function say(text: string): readonly ModelPart[] {
  return [{ type: "text", text }, END];
}

/** The product with a scripted model, and its conversations as the surfaces have them. */
export async function startConversations(environment: Readonly<Record<string, string>> = {}, options: AppOptions = {}) {
  const model = new ScriptedModel();
  const made: Partial<Parts> = {};
  function keep<Name extends keyof Parts>(name: Name) {
    return (part: Parts[Name]): Parts[Name] => {
      made[name] = part;
      return part;
    };
  }
  const service = await startTestService(environment, {
    ...options,
    decorate: {
      languageModel: () => model,
      stores: keep("stores"),
      turnRunner: keep("turnRunner"),
      liveTurns: keep("liveTurns"),
      news: keep("news"),
      identity: keep("identity"),
      ...options.decorate,
    },
  });
  const { stores, turnRunner, liveTurns, news, identity } = made;
  if (!stores || !turnRunner || !liveTurns || !news || !identity) throw new Error("a part was not made");
  const conversations = createConversations({
    stores,
    clock: systemClock,
    random: systemRandom,
    turnRunner,
    liveTurns,
    conversationWaits: new RowWaits(news, "conversation"),
  });

  async function begin(message: Partial<BeginTurn> & { text: string }, key = service.apiKey) {
    const authenticate = () => identity?.authenticate(key, { fresh: true });
    const principal = await authenticate();
    if (principal === undefined) throw new Error("the key is not known");
    const turn: BeginTurn = {
      principal,
      confirmPrincipal: async () => await authenticate(),
      userId: undefined,
      conversationId: undefined,
      channel: "web",
      locale: undefined,
      idempotencyKey: undefined,
      traceId: newId("", Date.now()).toLowerCase().padStart(32, "0"),
      ...message,
    };
    return { principal, begun: await conversations.begin(turn) };
  }

  /** Says it and waits for the end of the turn. */
  async function talk(message: Parameters<typeof begin>[0], key?: string): Promise<Talked> {
    const { principal, begun } = await begin(message, key);
    const owner = toConversationOwner(principal, message.userId);
    const events = await readToEnd(conversations, owner, begun);
    return { ...begun, principal, owner, events, ended: Ended.parse(JSON.parse(events.at(-1)?.line ?? "{}")) };
  }

  const follow = (owner: ConversationOwner, begun: BegunTurn) => readToEnd(conversations, owner, begun);
  return { ...service, model, conversations, turns: stores.turns, begin, follow, talk };
}

interface Talked extends BegunTurn {
  principal: Principal;
  owner: ConversationOwner;
  events: readonly StoredEvent[];
  ended: z.output<typeof Ended>;
}

/** The last event. */
const Ended = z.looseObject({
  type: z.literal("turn_ended"),
  status: z.string(),
  reply: z.string(),
  signature: z.string(),
  traceId: z.string(),
  toolCalls: z.array(z.looseObject({ tool: z.string(), outcome: z.string() })),
});

export async function readToEnd(
  conversations: Conversations,
  owner: ConversationOwner,
  { conversationId, turnId, after }: BegunTurn,
): Promise<readonly StoredEvent[]> {
  const events: StoredEvent[] = [];
  const signal = AbortSignal.timeout(60_000);
  for await (const event of conversations.follow(owner, conversationId, { after, turnId, signal })) events.push(event);
  return events;
}
