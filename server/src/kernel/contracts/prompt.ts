/** A ready-made request with gaps that a person picks in an MCP client. */
export interface Prompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly PromptArgument[];
  /** The text that the client sends to its model as the user's words. `today` is the day in UTC. */
  render(argument: (name: string) => string | undefined, today: Temporal.PlainDate): string;
}

interface PromptArgument {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
}

/** Asking for an argument that the prompt does not list does not compile. */
export function definePrompt<const Name extends string>(definition: {
  name: string;
  title: string;
  description: string;
  arguments: readonly { name: Name; description: string; required: boolean }[];
  render(argument: (name: Name) => string | undefined, today: Temporal.PlainDate): string;
}): Prompt {
  return definition;
}
