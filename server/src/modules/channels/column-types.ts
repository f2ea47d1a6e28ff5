import type { ColumnTypes } from "../../platform/database/column-kinds.ts";

/** Columns whose type the database cannot tell; read by the generator of table types. */
export const columnTypes: ColumnTypes = {
  "channel.network": "Environment",
  "channel.settings": "JsonObject",
  "channel_person.network": "Environment",
  "channel_event.network": "Environment",
  "channel_message.network": "Environment",
  "channel_button.network": "Environment",
  "channel_code.network": "Environment",
};
