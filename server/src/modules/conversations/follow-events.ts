import type { RowWaits } from "../../platform/leased-queue/row-waits.ts";
import { conversationNotFound } from "./begin-turn.ts";
import type { ConversationOwner, FollowOptions, StoredEvent } from "./conversations.ts";
import type { LiveTurns } from "./running/live-turns.ts";
import type { Turns } from "./store.ts";

/** Each look reads the table, so a wait may end at any time. */
const WAIT_MILLISECONDS = 60_000;

interface FollowParts {
  turns: Turns;
  live: LiveTurns;
  conversationWaits: RowWaits;
}

/** The events after a number, and those that come. What is not read waits in the database, not in memory. */
export async function* followEvents(
  parts: FollowParts,
  owner: ConversationOwner,
  conversationId: string,
  options: FollowOptions,
): AsyncGenerator<StoredEvent, void, void> {
  const { turnId, signal } = options;
  let { after } = options;
  for await (const event of followLive(parts.live, owner, conversationId, options)) {
    yield event;
    if (event.type === "turn_ended") return;
    after = event.sequence;
  }
  while (!signal.aborted) {
    const at = after;
    const found = await parts.conversationWaits.wait({
      id: conversationId,
      read: () => parts.turns.events(owner, conversationId, { after: at, turnId }),
      isEnough: (read) => read === undefined || read.events.length > 0 || !read.isOpen,
      milliseconds: WAIT_MILLISECONDS,
      signal,
    });
    if (found === undefined) throw conversationNotFound();
    for (const event of found.events) {
      yield event;
      after = event.sequence;
      if (turnId !== undefined && event.type === "turn_ended") return;
    }
    if (!found.isOpen && found.events.length === 0) return;
    // The client asks another process for what comes after its last event.
    if (parts.conversationWaits.isOver) return;
  }
}

/** From memory, while this process runs the turn. */
async function* followLive(
  live: LiveTurns,
  owner: ConversationOwner,
  conversationId: string,
  { after, turnId, signal }: FollowOptions,
): AsyncGenerator<StoredEvent, void, void> {
  const turn = turnId === undefined ? undefined : live.find(turnId);
  if (turn === undefined || !turn.belongsTo(owner, conversationId)) return;
  let next = turn.events.findIndex(({ sequence }) => sequence > after);
  if (next < 0) next = turn.events.length;
  while (!signal.aborted) {
    const event = turn.events[next];
    if (event !== undefined) {
      next += 1;
      if (event.sequence > after) yield event;
    } else if (turn.isOver) {
      return;
    } else {
      await turn.change(signal);
    }
  }
}
