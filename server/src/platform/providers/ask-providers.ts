import { Failure } from "../../domain/errors.ts";
import type { ProviderProvenance } from "../../domain/schemas.ts";
import { type Provider, ProviderFailure } from "./provider.ts";

export interface Answered<Answer> {
  readonly answer: Answer;
  readonly provenance: ProviderProvenance;
}

/**
 * Returns the first answer; its provenance names the providers that failed before. Undefined if every answering provider knows
 * nothing; throws `provider_unavailable` if none answers.
 */
export async function askProviders<Question, Answer>(
  providers: readonly Provider<Question, Answer>[],
  question: Question,
  signal?: AbortSignal,
): Promise<Answered<Answer | undefined>> {
  const fallbackFrom: ProviderProvenance["fallbackFrom"][number][] = [];
  let ignorant: Answered<undefined> | undefined;
  for (const provider of providers) {
    const { source, sourceLevel, attribution } = provider;
    try {
      const { answer, asOf } = await provider.ask(question, signal);
      const provenance = { source, sourceLevel, asOf, attribution, fallbackFrom: [...fallbackFrom] };
      if (answer !== undefined) return { answer, provenance };
      ignorant = { answer: undefined, provenance };
      fallbackFrom.push({ source, reason: "nothing_found" });
    } catch (error) {
      // A caller that is gone needs no other provider either.
      signal?.throwIfAborted();
      if (!(error instanceof ProviderFailure)) throw error;
      fallbackFrom.push({ source, reason: error.reason });
    }
  }
  if (ignorant !== undefined) return ignorant;
  throw new Failure("provider_unavailable", {
    detail: "No provider answers now. Send the same call later.",
    extra: { asked: fallbackFrom },
  });
}
