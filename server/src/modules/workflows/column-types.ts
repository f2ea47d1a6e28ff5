import type { ColumnTypes } from "../../platform/database/column-kinds.ts";

/** Columns whose type the database cannot tell; read by the generator of table types. */
export const columnTypes: ColumnTypes = {
  "workflow_run.network": "Environment",
  "workflow_run.input": "JsonObject",
  "workflow_pause.network": "Environment",
  "workflow_pause.expects": "JsonObject",
  "workflow_pause.on_timeout": "JsonObject",
  "workflow_event.network": "Environment",
  "internal_token_tenant.network": "Environment",
  "workflow_event.resolution": "JsonObject",
};
