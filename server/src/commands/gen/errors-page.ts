import type { catalog } from "../../contributions.ts";
import { callHttpStatus, httpStatus, isRetryable, meaningByCode, TOOL_FAILURE_STATUS } from "../../domain/errors.ts";
import { buildProblem } from "../../surfaces/render-error.ts";
import { json, NOTICE, table } from "./markdown.ts";

type Catalog = typeof catalog;

/** The URL on the repository's pages; each deployment replaces it with its own. */
const APP_URL = "http://127.0.0.1:3000";
const TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736";

const EXAMPLE_ISSUES = [{ path: "departureDate", message: "must be a date as YYYY-MM-DD" }];

const yesOrNo = (value: boolean): string => (value ? "yes" : "no");
const linkToError = (code: string): string => `[\`${code}\`](errors/${code}.md)`;

export function errorsPage({ entries }: Catalog): string {
  const rows = Object.entries(meaningByCode).map(([code, meaning]) => [
    linkToError(code),
    String(httpStatus(code)),
    meaning,
    yesOrNo(isRetryable(code)),
  ]);
  const toolRows = [...usesByCode(entries)]
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([code, uses]) => [
      linkToError(code),
      yesOrNo(isRetryable(code)),
      uses.map(({ tool }) => `[${tool}](tools/${tool}.md)`).join(", "),
    ]);
  return `${NOTICE}
# Errors

Errors are \`application/problem+json\` (RFC 9457) with the members \`type\` (the URL of the code's page), \`ok: false\`, \`code\`, \`detail\`, \`retryable\`, \`traceId\` and, for \`invalid_input\`, \`issues: [{path, message}]\`. \`detail\` says what to do next in this particular case. \`retryable\` says whether the same call can succeed later; if it is true and \`Retry-After\` is present, wait that many seconds. Over MCP, the same object is the text of a result with \`isError: true\`.

## Service errors

${table(["Code", "Status", "What it means and what to do", "Retryable"], rows)}

## Tool errors

A tool that ran and failed returns ${TOOL_FAILURE_STATUS} with one of its own codes and costs nothing. The pages of the code and of the tool explain what the code means for that tool and what to do.

${table(["Code", "Retryable", "Tools"], toolRows)}
`;
}

/** By path: a page for each code in answers to callers, which `type` links to. */
export function errorPages({ entries }: Catalog): [path: string, page: string][] {
  const uses = usesByCode(entries);
  const meanings = new Map(Object.entries(meaningByCode));
  const codes = new Set([...meanings.keys(), ...uses.keys()]);
  return [...codes].map((code) => [`errors/${code}.md`, errorPage(code, meanings.get(code), uses.get(code) ?? [])]);
}

/** A tool that declares the code, with its text for it. */
interface Use {
  tool: string;
  meaning: string;
}

function usesByCode(entries: Catalog["entries"]): Map<string, Use[]> {
  const uses = new Map<string, Use[]>();
  for (const { tool } of entries) {
    for (const [code, meaning] of Object.entries(tool.errors)) {
      uses.set(code, [...(uses.get(code) ?? []), { tool: tool.name, meaning }]);
    }
  }
  return uses;
}

function errorPage(code: string, ofService: string | undefined, uses: readonly Use[]): string {
  const byMeaning = [...Map.groupBy(uses, ({ meaning }) => meaning)];
  const [mostSaid] = byMeaning.toSorted(([, some], [, others]) => others.length - some.length)[0] ?? [code];
  const depends = "What it means, and what to do, depends on the tool that returns it.";
  const meaning = ofService ?? (byMeaning.length === 1 ? mostSaid : depends);
  const links = (of: readonly Use[]) => of.map(({ tool }) => `[${tool}](../tools/${tool}.md)`).join(", ");
  const tools = table(
    ["Tools", "What it means and what to do"],
    byMeaning.map(([text, of]) => [links(of), text]),
  );
  const fields = {
    code,
    detail: ofService ?? mostSaid,
    ...(code === "invalid_input" ? { issues: EXAMPLE_ISSUES } : {}),
  };
  const problem = buildProblem(fields, { traceId: TRACE_ID, appUrl: APP_URL });
  return `${NOTICE}
# ${code}

${meaning}

HTTP status ${sayStatus(code)}. ${sayRetry(code)} [All errors](../errors.md).
${uses.length === 0 ? "" : `\n## Tools that return it\n\n${tools}\n`}
## Example

In a real answer, \`detail\` describes the particular case, and some codes add further members:

${json({ ...problem, status: httpStatus(code) })}
`;
}

function sayStatus(code: string): string {
  const [status, ofCalls] = [httpStatus(code), callHttpStatus(code)];
  return status === ofCalls ? String(status) : `${status} from a route, ${ofCalls} from a tool`;
}

function sayRetry(code: string): string {
  return isRetryable(code)
    ? "`retryable` is true: the same call may succeed if you send it again later."
    : "`retryable` is false: the same call will fail again until something changes.";
}
