import { type LanguageModel, ModelFailure } from "../ports/language-model.ts";

/** No model is part of the product yet: each turn says so. */
export function openLanguageModel(): LanguageModel {
  return {
    name: "none",
    kind: "rules",
    // biome-ignore lint/correctness/useYield: it fails before its first part.
    async *step() {
      throw new ModelFailure("model_misconfigured", "No language model is configured.");
    },
  };
}
