/** A request to the scripted model, in the words of neither wire. */
export interface SeenStep {
  readonly wire: "anthropic" | "openai";
  readonly model: string;
  readonly maximumTokens: number;
  readonly instructions: string;
  readonly tools: readonly string[];
  readonly messages: readonly SeenMessage[];
}

export interface SeenMessage {
  readonly role: "user" | "assistant";
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly args: unknown }[];
  readonly results: readonly string[];
}
