import type { ColumnTypes } from "../../platform/database/column-kinds.ts";

/** What the database cannot say of its columns; the generated table types have it. */
export const columnTypes: ColumnTypes = {
  "order_event.details": "JsonObject",
  "servicing_action.expected": "JsonObject",
};
