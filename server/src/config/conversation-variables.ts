import { channelVariables } from "./channel-variables.ts";
import { emailVariables } from "./email-variables.ts";
import { wholeNumber, withDefault } from "./values.ts";

const amount = wholeNumber(1, 1_000_000_000);

/** How long conversations are kept, what they may use, and the app through which people have them. */
export const conversationVariables = {
  conversationRetentionDays: withDefault(
    "CONVERSATION_RETENTION_DAYS",
    "400",
    "Days for which a conversation is kept after its last message.",
    wholeNumber(1, 36_500),
  ),
  conversationModelSeconds: withDefault(
    "CONVERSATION_MODEL_SECONDS",
    "60",
    "Seconds for which a language model may show no progress before it counts as unavailable, and the next one is asked or the turn fails.",
    wholeNumber(1, 600),
  ),
  conversationConfirmationMinutes: withDefault(
    "CONVERSATION_CONFIRMATION_MINUTES",
    "30",
    "Minutes for which a yes to a question before a booking or payment counts. Later the question is asked again.",
    wholeNumber(1, 1_440),
  ),
  conversationTurnSteps: withDefault(
    "CONVERSATION_TURN_STEPS",
    "16",
    "Steps that a language model may take for one message: each is an answer or a round of tool calls.",
    amount,
  ),
  conversationTurnTokens: withDefault(
    "CONVERSATION_TURN_TOKENS",
    "400000",
    "Tokens of a language model, read and written, that one message may use.",
    amount,
  ),
  conversationTurnFees: withDefault(
    "CONVERSATION_TURN_FEES_MICRO_USDC",
    "1000000",
    "Micro-USDC that the tool calls of one message may cost. The prices of bookings do not count.",
    amount,
  ),
  conversationTurnSeconds: withDefault(
    "CONVERSATION_TURN_SECONDS",
    "180",
    "Seconds after which the turn of a message begins no further step.",
    amount,
  ),
  conversationSteps: withDefault(
    "CONVERSATION_STEPS",
    "2000",
    "Steps that a language model may take in one conversation.",
    amount,
  ),
  conversationTokens: withDefault(
    "CONVERSATION_TOKENS",
    "20000000",
    "Tokens of a language model, read and written, that one conversation may use.",
    amount,
  ),
  conversationFees: withDefault(
    "CONVERSATION_FEES_MICRO_USDC",
    "50000000",
    "Micro-USDC that the tool calls of one conversation may cost.",
    amount,
  ),
  conversationSeconds: withDefault(
    "CONVERSATION_SECONDS",
    "36000",
    "Seconds that the turns of one conversation may take together.",
    amount,
  ),
  ...channelVariables,
  ...emailVariables,
};
