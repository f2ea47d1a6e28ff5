import type { McpExtras } from "../extras.ts";
import { contentTools } from "./content-tools.ts";
import { inputRequiredTools } from "./input-required-tools.ts";
import { prompts } from "./prompts.ts";
import { resources, resourceTemplates } from "./resources.ts";

const CITIES = ["paris", "park", "party"];

/** What the official conformance suites expect a server under test to offer, by the names that they call. */
export const conformanceExtras: McpExtras = {
  tools: [...contentTools, ...inputRequiredTools],
  resources,
  resourceTemplates,
  prompts,
  async complete({ ref, argument }) {
    const known = ref.type === "ref/prompt" && ref.name === "test_prompt_with_arguments";
    return { completion: { values: known ? CITIES.filter((city) => city.startsWith(argument.value)) : [] } };
  },
};
