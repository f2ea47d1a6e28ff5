import type { catalog } from "../../contributions.ts";
import { isRetryable, meaningByCode, statusOf, TOOL_FAILURE_STATUS } from "../../domain/errors.ts";
import { NOTICE, table } from "./markdown.ts";

const yesOrNo = (value: boolean): string => (value ? "yes" : "no");

export function errorsPage({ entries }: typeof catalog): string {
  const rows = Object.entries(meaningByCode).map(([code, meaning]) => [
    `\`${code}\``,
    String(statusOf(code)),
    meaning,
    yesOrNo(isRetryable(code)),
  ]);
  const tools = Map.groupBy(
    entries.flatMap(({ tool }) => Object.keys(tool.errors).map((code) => ({ code, name: tool.name }))),
    ({ code }) => code,
  );
  const toolRows = [...tools]
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([code, of]) => [
      `\`${code}\``,
      yesOrNo(isRetryable(code)),
      of.map(({ name }) => `[${name}](tools/${name}.md)`).join(", "),
    ]);
  return `${NOTICE}
# Errors

Errors are \`application/problem+json\` (RFC 9457) with the members \`ok: false\`, \`code\`, \`detail\`, \`retryable\`, \`traceId\` and, for \`invalid_input\`, \`issues: [{path, message}]\`. \`detail\` says what to do next in this very case. \`retryable\` tells whether the same call can succeed later; where it is true and \`Retry-After\` is given, wait so many seconds. Over MCP the same object is the text of a result with \`isError: true\`.

## Of the service

${table(["Code", "Status", "What it means and what to do", "Retryable"], rows)}

## Of the tools

A tool that ran and failed answers ${TOOL_FAILURE_STATUS} with one of its own codes and costs nothing. What a code means for a tool, and what to do, stands on the tool's page.

${table(["Code", "Retryable", "Tools"], toolRows)}
`;
}
