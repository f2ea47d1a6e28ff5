import type { Replacement } from "../replace-source.ts";

const MODULE = "server/src/modules/conversations";

/** The service without what makes a turn run once: other texts in its source as it is loaded. */
export const withoutConversationGuard: Readonly<Record<string, readonly Replacement[]>> = {
  /** Every message begins its turn at once, whether or not another turn of the conversation runs. */
  "turn-claim": [
    {
      file: `${MODULE}/stores/store-begin.ts`,
      from: "open_turns = open_turns + 1,\n      last_sequence = last_sequence + (open_turns = 0)::integer",
      to: "open_turns = 1,\n      last_sequence = last_sequence + 1",
    },
    {
      file: `${MODULE}/migrations/0131-conversations.ts`,
      from: "create unique index conversation_turn_running",
      to: "create index conversation_turn_running",
    },
  ],
  /** A call that is tried again, after a death of its process, is another one. */
  "call-ledger": [
    {
      file: `${MODULE}/running/open-calls.ts`,
      from: "idempotencyKey: call.firstCall ?? call.id,",
      to: 'idempotencyKey: newId("tcl_", Date.now()),',
    },
  ],
};
