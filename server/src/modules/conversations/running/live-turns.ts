import type { ConversationOwner, StoredEvent } from "../conversations.ts";
import type { Turn } from "../turns.ts";

/** Ended turns that are remembered for followers who ask a moment later. */
const MOST_REMEMBERED = 200;
const MOST_REMEMBERED_CHARACTERS = 64 * 1_024;

/** The stored events of a turn that this process runs: its followers need not read them from the database. */
export class LiveTurn {
  readonly events: StoredEvent[] = [];
  readonly #turn: Turn;
  #characters = 0;
  #waiting = Promise.withResolvers<void>();
  /** No more events come from here: the turn has ended, or another process has it. */
  isOver = false;
  isComplete = false;

  constructor(turn: Turn) {
    this.#turn = turn;
  }

  get isSmall(): boolean {
    return this.#characters <= MOST_REMEMBERED_CHARACTERS;
  }

  belongsTo({ tenantId, environment, ownerId }: ConversationOwner, conversationId: string): boolean {
    const turn = this.#turn;
    return (
      turn.tenantId === tenantId &&
      turn.environment === environment &&
      turn.ownerId === ownerId &&
      turn.conversationId === conversationId
    );
  }

  add(events: readonly StoredEvent[]): void {
    for (const event of events) {
      this.events.push(event);
      this.#characters += event.line.length;
    }
    if (events.length > 0) this.#wake();
  }

  /** `isComplete`: its last event is here. */
  end(isComplete: boolean): void {
    this.isOver = true;
    this.isComplete = isComplete;
    this.#wake();
  }

  /** Resolves when something changes, or the signal is aborted. */
  async change(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const leave = () => resolve();
    signal.addEventListener("abort", leave);
    try {
      await Promise.race([this.#waiting.promise, promise]);
    } finally {
      signal.removeEventListener("abort", leave);
    }
  }

  #wake(): void {
    this.#waiting.resolve();
    this.#waiting = Promise.withResolvers();
  }
}

export class LiveTurns {
  readonly #turns = new Map<string, LiveTurn>();
  readonly #ended: string[] = [];

  find(turnId: string): LiveTurn | undefined {
    return this.#turns.get(turnId);
  }

  begin(turn: Turn): LiveTurn {
    const live = new LiveTurn(turn);
    this.#turns.set(turn.id, live);
    return live;
  }

  end(turnId: string, isComplete: boolean): void {
    const live = this.#turns.get(turnId);
    live?.end(isComplete);
    if (live === undefined || !isComplete || !live.isSmall) {
      this.#turns.delete(turnId);
      return;
    }
    this.#ended.push(turnId);
    if (this.#ended.length > MOST_REMEMBERED) this.#turns.delete(this.#ended.shift() ?? "");
  }

  /** After a conversation was deleted. */
  forget(conversationId: string, owner: ConversationOwner): void {
    for (const [id, live] of this.#turns)
      if (live.isOver && live.belongsTo(owner, conversationId)) this.#turns.delete(id);
  }
}
