import type { ModelRequest } from "../../../ports/language-model.ts";
import type { OpenConfirmation, StoredCall, StoredTurn } from "../stores/store-history.ts";
import { chooseLocale } from "../texts/detect-language.ts";
import type { LeasedTurn, StoredStep } from "../turns.ts";
import type { LoopOptions } from "./turn-context.ts";

/** A call whose outcome comes while the turn runs. */
export type KnownCall = { -readonly [Name in keyof StoredCall]: StoredCall[Name] };

interface KnownTurn extends Omit<StoredTurn, "steps" | "calls" | "isAnswer"> {
  isAnswer: boolean;
  readonly steps: StoredStep[];
  readonly calls: KnownCall[];
}

const TEXTS_FOR_SEARCH = 3;

/** The stored conversation, with what the turn has added to it. */
export class KnownConversation {
  readonly turns: readonly KnownTurn[];
  readonly own: KnownTurn;
  readonly confirmation: OpenConfirmation | undefined;
  #traveler: Promise<ModelRequest["traveler"]> | undefined;

  private constructor(turns: readonly KnownTurn[], own: KnownTurn, confirmation: OpenConfirmation | undefined) {
    this.turns = turns;
    this.own = own;
    this.confirmation = confirmation;
  }

  static async read({ turns }: Pick<LoopOptions, "turns">, turn: LeasedTurn): Promise<KnownConversation> {
    const { id, number, text, createdAt } = turn;
    const fresh: KnownTurn = { id, number, text, createdAt, isAnswer: false, steps: [], calls: [] };
    // A new conversation's first turn has no history, unless another process has begun it.
    if (number === 1 && turn.lastSequence === turn.afterSequence + 1) {
      return new KnownConversation([fresh], fresh, undefined);
    }
    const stored = await turns.history(turn);
    const known = stored.turns.map((one): KnownTurn => ({ ...one, steps: [...one.steps], calls: [...one.calls] }));
    const own = known.at(-1);
    if (own?.id === id) return new KnownConversation(known, own, stored.confirmation);
    return new KnownConversation([...known, fresh], fresh, stored.confirmation);
  }

  traveler(read: () => Promise<ModelRequest["traveler"]>): Promise<ModelRequest["traveler"]> {
    this.#traveler ??= read();
    return this.#traveler;
  }

  get calls(): readonly KnownCall[] {
    return this.turns.flatMap(({ calls }) => calls);
  }

  get userTexts(): readonly string[] {
    return this.turns.flatMap(({ text = [] }) => text);
  }

  /** For the service's own sentences: by what the user wrote last, a yes apart. */
  chooseLocale(locale: string): string {
    const said = this.turns.flatMap(({ text = [], isAnswer }) => (isAnswer ? [] : text));
    return chooseLocale(locale, said.slice(-TEXTS_FOR_SEARCH));
  }

  lastTexts(): string {
    return this.userTexts.slice(-TEXTS_FOR_SEARCH).join(" ");
  }

  usedTools(): readonly string[] {
    return this.calls.map(({ tool }) => tool);
  }
}
