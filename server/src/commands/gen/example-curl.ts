import { fence } from "./markdown.ts";
import type { RanExample } from "./run-in-order.ts";

/** What the pages on the disk call the application host; readers get their deployment's address. */
const DISPATCH_URL = "http://127.0.0.1:3000/api/agent/dispatch";
const DAY_FUNCTION = `day() { date -u -d "+$1 days" +%F 2>/dev/null || date -u -v"+$1"d +%F; }\n`;
const DATE_TEXT = /"(\d{4}-\d{2}-\d{2})(?=T[^"]*"|")/g;

/**
 * A call that runs as it stands. The shell counts days that were ahead of the recorded run from its own today, so that the page does
 * not change with the day and its dates never lie behind.
 */
export function exampleCurl(toolName: string, { day, args }: RanExample): string {
  const recorded = Temporal.PlainDate.from(day);
  const quoted = JSON.stringify({ tool: toolName, args }).replaceAll("'", "'\\''");
  const body = quoted.replaceAll(DATE_TEXT, (text, date: string) => {
    const { days } = recorded.until(Temporal.PlainDate.from(date));
    return days > 0 ? `"'$(day ${days})'` : text;
  });
  const lines = [
    `curl -s ${DISPATCH_URL}`,
    `-H "Authorization: Bearer $WAYFARE_API_KEY" -H "Content-Type: application/json"`,
    `-d '${body}'`,
  ];
  return fence("sh", `${body === quoted ? "" : DAY_FUNCTION}${lines.join(" \\\n  ")}`);
}
