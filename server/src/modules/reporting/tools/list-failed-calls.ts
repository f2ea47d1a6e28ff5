import { z } from "zod";
import { pageInput } from "../../../kernel/contracts/page.ts";
import { defineTool } from "../context.ts";
import { FailedCallCursor, FailedCallPage, failedCallFilters, readFailedCalls } from "../failed-call-page.ts";

export const listFailedCalls = defineTool({
  name: "list_failed_calls",
  title: "List failed calls",
  summary:
    "List the newest 1000 refused or failed calls, and refused previews (surface preview): code, what to do, arguments, trace.",
  area: "usage",
  effect: "read",
  price: 500n,
  payableWithoutKey: false,
  uses: ["failedCallLog", "reads"],
  input: z.strictObject({ ...pageInput(FailedCallCursor), ...failedCallFilters }),
  output: FailedCallPage,
  errors: {},
  example: () => ({ limit: 5 }),

  async run(query, { failedCallLog, reads, caller }) {
    return await readFailedCalls({ failedCallLog, reads }, caller, query);
  },
});
