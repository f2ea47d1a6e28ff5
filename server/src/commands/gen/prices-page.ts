import type { catalog } from "../../contributions.ts";
import { discounted } from "../../domain/money.ts";
import { discountPercentByPlan } from "../../ports/identity.ts";
import { NOTICE, table, usdc } from "./markdown.ts";

export function pricesPage({ entries }: typeof catalog): string {
  const percents = [0, discountPercentByPlan.pro, discountPercentByPlan.enterprise];
  const rows = entries.map(({ tool, scopes }) => [
    `[${tool.name}](tools/${tool.name}.md)`,
    scopes.length === 0 ? "none of its own" : scopes.join(" or "),
    ...percents.map((percent) => usdc(discounted(tool.price, percent))),
    tool.payableWithoutKey ? "yes" : "no",
  ]);
  const head = ["Tool", "Scope", "Free", "Pro", "Enterprise", "Without a key"];
  return `${NOTICE}\n# Prices\n\nOnly successful calls are charged. [Without a key](paying-per-call.md), a call has the price of the free plan.\n\n${table(head, rows)}\n`;
}
