import type { catalog } from "../../contributions.ts";
import { isRetryable } from "../../domain/errors.ts";
import { sayScopes } from "../../domain/scopes.ts";
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
    `\`${code}\``,
    meaning,
    isRetryable(code) ? "yes" : "no",
  ]);
  return `${NOTICE}
# ${tool.name}

${tool.description}

Scope ${sayScopes(scopes)} · price ${usdc(tool.price)}${tool.payableWithoutKey ? " · also [paid per call](../paying-per-call.md), without a key" : ""}

## Example

Arguments, sent [over HTTP](../http-dispatch.md) as \`args\`, [over MCP](../mcp.md) as \`arguments\`:

${json(example.args)}

${resultLine(example.day, cut, hasStandIns(value))}

${json(value)}

## Arguments

${json(inputSchema)}

## Result

${json(outputSchema)}

## Errors of its own

${errors.length === 0 ? "None." : table(["Code", "What to do", "Retryable"], errors)}

Every tool can also answer with the [errors of the service](../errors.md).
`;
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
