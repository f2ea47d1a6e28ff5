import type { ProviderProvenance } from "../../domain/schemas.ts";

/**
 * A need met by one of several providers: each is a `Provider` of the same question and answer, and `askProviders` asks them in
 * the configured order until one answers. To add one that is asked over HTTP:
 *
 * 1. Its address is a variable in `config/variables.ts`, without a default: no provider is asked before it is configured.
 * 2. `outside/open-sources.ts` opens one `OpenSource` for it, which keeps the provider's limits for all its questions.
 * 3. The adapter, in `adapters/<vendor>/`, makes a `Provider` over that source: it builds the path and the query, checks the
 * answer with a schema (`jsonParser`), and maps it to the port's types.
 * 4. The file in `outside/` that opens the port puts the provider into the configured order.
 *
 * Test it against a local server that replays the documented protocol, with its faults (`test/support/scripted-server.ts`).
 */
export interface Provider<Question, Answer> {
  readonly source: string;
  readonly sourceLevel: ProviderProvenance["sourceLevel"];
  /** The attributions to show with the answer. */
  readonly attribution: readonly string[];
  /**
   * Undefined: it knows nothing about the question. Throws `ProviderFailure` if it gives no answer; the next provider is asked
   * then.
   */
  ask(question: Question, signal?: AbortSignal): Promise<Reply<Answer | undefined>>;
}

export interface Reply<Answer> {
  readonly answer: Answer;
  /** When the provider answered, or the date of its data. */
  readonly asOf: string;
}

export type ProviderProblem = Exclude<ProviderProvenance["fallbackFrom"][number]["reason"], "nothing_found">;

/** Why a provider gave no answer. */
export class ProviderFailure extends Error {
  readonly reason: ProviderProblem;

  constructor(reason: ProviderProblem, cause?: unknown) {
    super(reason, cause === undefined ? undefined : { cause });
    this.name = "ProviderFailure";
    this.reason = reason;
  }
}
