import type { ColumnTypes } from "../../platform/database/column-kinds.ts";

/** Columns whose type the database cannot tell; read by the generator of table types. */
export const columnTypes: ColumnTypes = {
  "conversation.network": "Environment",
  "conversation_turn.network": "Environment",
  "conversation_event.network": "Environment",
  "conversation_call.network": "Environment",
  "conversation_confirmation.network": "Environment",
  "conversation_link.network": "Environment",
  "conversation_link_code.network": "Environment",
  "conversation_link_attempt.network": "Environment",
};
