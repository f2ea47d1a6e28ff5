import type { Spent } from "./turns.ts";

/** Bounds of a turn and of a conversation. Money is what the tools' calls cost, not what the user buys. */
export interface Budgets {
  readonly turn: Spent;
  readonly conversation: Spent;
}

export interface BudgetSettings {
  readonly conversationTurnSteps: number;
  readonly conversationTurnTokens: number;
  /** Micro-USDC. */
  readonly conversationTurnFees: number;
  readonly conversationTurnSeconds: number;
  readonly conversationSteps: number;
  readonly conversationTokens: number;
  /** Micro-USDC. */
  readonly conversationFees: number;
  readonly conversationSeconds: number;
}

export function readBudgets(settings: BudgetSettings): Budgets {
  return {
    turn: {
      steps: settings.conversationTurnSteps,
      tokens: settings.conversationTurnTokens,
      fees: BigInt(settings.conversationTurnFees),
      milliseconds: settings.conversationTurnSeconds * 1_000,
    },
    conversation: {
      steps: settings.conversationSteps,
      tokens: settings.conversationTokens,
      fees: BigInt(settings.conversationFees),
      milliseconds: settings.conversationSeconds * 1_000,
    },
  };
}

type UsedUp = "tooManySteps" | "tooManyTokens" | "tooExpensive" | "tooLong" | "conversationUsedUp";

/** The text that says which budget has no room for a further step. Undefined: all have. */
export function findUsedUp({ turn, conversation }: Budgets, used: Spent, before: Spent): UsedUp | undefined {
  if (used.steps >= turn.steps) return "tooManySteps";
  if (used.tokens >= turn.tokens) return "tooManyTokens";
  if (used.fees >= turn.fees) return "tooExpensive";
  if (used.milliseconds >= turn.milliseconds) return "tooLong";
  const isUsedUp =
    before.steps + used.steps >= conversation.steps ||
    before.tokens + used.tokens >= conversation.tokens ||
    before.fees + used.fees >= conversation.fees ||
    before.milliseconds + used.milliseconds >= conversation.milliseconds;
  return isUsedUp ? "conversationUsedUp" : undefined;
}
