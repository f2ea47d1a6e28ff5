import type { catalog } from "../../contributions.ts";
import { isRetryable } from "../../domain/errors.ts";
import { sayScopes } from "../../domain/scopes.ts";
import { listArguments, type Property } from "./list-arguments.ts";
import { fence, json, NOTICE, table, usdc } from "./markdown.ts";
import type { RanExample } from "./run-in-order.ts";

/** The application host's address in the page files; readers get their deployment's. */
const DISPATCH_URL = "http://127.0.0.1:3000/api/agent/dispatch";
const DAY_FUNCTION = `day() { date -u -d "+$1 days" +%F 2>/dev/null || date -u -v"+$1"d +%F; }\n`;
/** Keeps a key that the shell has already. */
const KEY_LINE = `export WAYFARE_API_KEY=\${WAYFARE_API_KEY:-$(node -p 'require("./.data/quickstart.json").apiKey')}`;
const DATE_TEXT = /"(\d{4}-\d{2}-\d{2})(?=T[^"]*"|")/g;

/** Longer lists of objects are shown by their first entry: the others have the same form. */
const MOST_OBJECTS = 2;

interface Shortened {
  value: unknown;
  /** Lists that were cut, such as `offers`, with the number of their entries. */
  cut: readonly { path: string; length: number }[];
}

type Entry = (typeof catalog.entries)[number];

/** `docs/tools.md`: every tool, in one table per area. */
export function toolsPage({ entries }: typeof catalog): string {
  const byArea = Map.groupBy(entries, ({ tool }) => tool.area);
  const sections = [...byArea].map(([area, ofArea]) => {
    const rows = ofArea.map(({ tool, scopes }) => [
      `[${tool.name}](tools/${tool.name}.md)`,
      tool.summary,
      sayScopes(scopes),
      usdc(tool.price),
    ]);
    return `## ${area}\n\n${table(["Tool", "What it does", "Scope", "Price"], rows)}\n`;
  });
  return `${NOTICE}
# Tools

Every tool, with what it does and what it costs. Each tool's page has an example from a real run.

${sections.join("\n")}`;
}

export function toolPage({ tool, scopes, inputSchema, outputSchema }: Entry, example: RanExample): string {
  const { value, cut } = shorten(example.result);
  const errors = Object.entries(tool.errors).map(([code, meaning]) => [
    `[\`${code}\`](../errors/${code}.md)`,
    meaning,
    isRetryable(code) ? "yes" : "no",
  ]);
  return `${NOTICE}
# ${tool.name}

${tool.description}

Scope ${sayScopes(scopes)} · price ${usdc(tool.price)}${tool.payableWithoutKey ? " · also [paid per call](../paying-per-call.md), without a key" : ""}

## Example

[Over HTTP](../http-dispatch.md), with the key in \`WAYFARE_API_KEY\` ([Quickstart](../quickstart.md))${hasIds(example.args) ? "; replace the ids with your own" : ""}:

${exampleCurl(tool.name, example)}

The arguments alone, as sent [over MCP](../mcp.md)${hasFutureDates(example) ? ` on ${example.day}; replace the dates with later ones` : ""}:

${json(example.args)}

${resultLine(example.day, cut, hasStandIns(value))}

${json(value)}

## Arguments

${argumentTable(tool.name, inputSchema)}

## Tool errors

${errors.length === 0 ? "None." : table(["Code", "What to do", "Retryable"], errors)}

Every tool can also return the [service errors](../errors.md).

## Input schema

${json(inputSchema)}

## Output schema

${json(outputSchema)}
`;
}

/** An id belongs to the deployment and the moment that created it. */
function hasIds(args: RanExample["args"]): boolean {
  return /"(?:[a-z]{2,8}_[0-9A-Za-z]{12,}|0x[0-9a-f]{40,})"/.test(JSON.stringify(args));
}

/** `run-examples.ts` numbers addresses and hashes. */
function hasStandIns(value: unknown): boolean {
  return /"0x0{30,}/.test(JSON.stringify(value));
}

function resultLine(day: string, cut: Shortened["cut"], standIns: boolean): string {
  const remarks = cut.map(({ path, length }) => `\`${path}\`: the first of ${length}`);
  if (standIns) remarks.push("chain addresses and hashes are replaced by numbers, because each deployment has its own");
  return `Result returned by the embedded sandbox on ${day}${remarks.length === 0 ? "" : ` (${remarks.join(", ")})`}:`;
}

/** The public interface of a tool: its changes show in the diff. */
export function toolSnapshot({ tool, scopes, inputSchema, outputSchema }: Entry): string {
  const { name, title, summary, payableWithoutKey, errors } = tool;
  const face = {
    name,
    title,
    summary,
    scope: scopes.join(" | "),
    priceMicroUsdc: tool.price.toString(),
    payableWithoutKey,
  };
  return `${JSON.stringify({ ...face, errors, inputSchema, outputSchema }, null, 2)}\n`;
}

export function shorten(value: unknown): Shortened {
  const cut: { path: string; length: number }[] = [];
  const visit = (part: unknown, path: string): unknown => {
    if (Array.isArray(part)) {
      const long = part.length > MOST_OBJECTS && part.every((entry) => typeof entry === "object" && entry !== null);
      if (long) cut.push({ path, length: part.length });
      return (long ? part.slice(0, 1) : part).map((entry) => visit(entry, `${path}[]`));
    }
    if (typeof part !== "object" || part === null) return part;
    const members = Object.entries(part);
    return Object.fromEntries(
      members.map(([name, child]) => [name, visit(child, path === "" ? name : `${path}.${name}`)]),
    );
  };
  return { value: visit(value, ""), cut };
}

/**
 * Returns a call that runs unchanged. The shell computes dates that were in the future of the recorded run from its own today,
 * so that the page does not change daily and its dates are never past.
 */
function exampleCurl(toolName: string, { day, args }: RanExample): string {
  const quoted = JSON.stringify({ tool: toolName, args }).replaceAll("'", "'\\''");
  const body = quoted.replaceAll(DATE_TEXT, (text, date: string) => {
    const days = daysAfter(day, date);
    return days > 0 ? `"'$(day ${days})'` : text;
  });
  const lines = [
    `${KEY_LINE}\ncurl -s ${DISPATCH_URL}`,
    `-H "Authorization: Bearer $WAYFARE_API_KEY" -H "Content-Type: application/json"`,
    `-d '${body}'`,
  ];
  return fence("sh", `${body === quoted ? "" : DAY_FUNCTION}${lines.join(" \\\n  ")}`);
}

function hasFutureDates({ day, args }: RanExample): boolean {
  return [...JSON.stringify(args).matchAll(DATE_TEXT)].some(([, date = day]) => daysAfter(day, date) > 0);
}

function daysAfter(day: string, date: string): number {
  return Temporal.PlainDate.from(day).until(Temporal.PlainDate.from(date)).days;
}

function argumentTable(toolName: string, inputSchema: unknown): string {
  const rows = listArguments(toolName, inputSchema).map(({ path, property, isRequired, meaning }) => [
    `\`${path}\``,
    describeType(property),
    describeNeed(property, isRequired),
    meaning ?? "",
  ]);
  return rows.length === 0 ? "None." : table(["Name", "Kind", "Needed", "Meaning"], rows);
}

function describeType({ type, format, enum: values, minimum, maximum, items, ...rest }: Property): string {
  if (values !== undefined) return values.map((value) => `\`${String(value)}\``).join(", ");
  if (rest.const !== undefined) return `\`${String(rest.const)}\``;
  const base =
    type === "array"
      ? `list${items?.type === undefined ? "" : ` of ${items.type}`}`
      : [type ?? "see the schema"].flat().join(" or ");
  const words = format === undefined ? base : `${base}, ${format}`;
  const isBounded = (bound: number | undefined) => bound !== undefined && Math.abs(bound) < Number.MAX_SAFE_INTEGER;
  if (isBounded(minimum) && isBounded(maximum)) return `${words}, ${minimum} to ${maximum}`;
  if (isBounded(minimum)) return `${words}, at least ${minimum}`;
  return isBounded(maximum) ? `${words}, at most ${maximum}` : words;
}

function describeNeed(property: Property, isRequired: boolean): string {
  if (property.default !== undefined) return `no; \`${JSON.stringify(property.default)}\``;
  return isRequired ? "yes" : "no";
}
