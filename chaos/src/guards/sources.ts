import { withoutChannelGuard } from "./channels.ts";
import { withoutConversationGuard } from "./conversations.ts";
import { withoutDisruptionGuard } from "./disruption.ts";
import { withoutMemoryGuard } from "./memories.ts";

/** Texts that are replaced in the source of the service, by the name of the guard that it then does without. */
export const withoutSource = {
  ...withoutMemoryGuard,
  ...withoutConversationGuard,
  ...withoutChannelGuard,
  ...withoutDisruptionGuard,
};
