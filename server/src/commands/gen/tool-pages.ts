import type { catalog } from "../../contributions.ts";
import { isRetryable } from "../../domain/errors.ts";
import { sayScopes } from "../../domain/scopes.ts";
import { argumentTable } from "./argument-table.ts";
import { exampleCurl } from "./example-curl.ts";
import { json, NOTICE, table, usdc } from "./markdown.ts";
import type { RanExample } from "./run-in-order.ts";
import { type Shortened, shorten } from "./shorten.ts";

type Entry = (typeof catalog.entries)[number];

/** `docs/tools.md`: every tool in one table for each area. */
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

Every tool with what it does and costs; each leads to its page, with an example that was really run.

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

[Over HTTP](../http-dispatch.md), with the key in \`WAYFARE_API_KEY\` ([Quickstart](../quickstart.md))${hasIds(example.args) ? "; put ids of your own in place of these" : ""}:

${exampleCurl(tool.name, example)}

The arguments alone, as they are sent [over MCP](../mcp.md):

${json(example.args)}

${resultLine(example.day, cut, hasStandIns(value))}

${json(value)}

## Arguments

${argumentTable(inputSchema)}

## Errors of its own

${errors.length === 0 ? "None." : table(["Code", "What to do", "Retryable"], errors)}

Every tool can also answer with the [errors of the service](../errors.md).

## Schema of the arguments

${json(inputSchema)}

## Schema of the result

${json(outputSchema)}
`;
}

/** An id belongs to the deployment and the moment that made it. */
function hasIds(args: RanExample["args"]): boolean {
  return /"(?:[a-z]{2,8}_[0-9A-Za-z]{12,}|0x[0-9a-f]{40,})"/.test(JSON.stringify(args));
}

/** `run-examples.ts` numbers addresses and hashes. */
function hasStandIns(value: unknown): boolean {
  return /"0x0{30,}/.test(JSON.stringify(value));
}

function resultLine(day: string, cut: Shortened["cut"], standIns: boolean): string {
  const remarks = cut.map(({ path, length }) => `\`${path}\`: the first of ${length}`);
  if (standIns) remarks.push("addresses and hashes of the chain are numbered, as each deployment has its own");
  return `Result, as it came on ${day} from the embedded sandbox${remarks.length === 0 ? "" : ` (${remarks.join(", ")})`}:`;
}

/** The public face of a tool: a change of it shows in the diff. */
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
