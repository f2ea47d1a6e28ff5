import { formatDecimal } from "../../domain/money.ts";
import type { Catalog } from "../../kernel/catalog.ts";
import { cachedAnswer, cachedRoutes } from "../http/cached-answer.ts";
import type { Routes } from "../http/hosts.ts";
import { X402_VERSION } from "./payment-headers.ts";
import { PAID_TOOLS_PATH, type PaidNetwork, paidToolUrl } from "./price-tags.ts";

interface ToolListOptions {
  catalog: Catalog;
  edgeUrl: string;
  /** Where a call without a key is paid. */
  network: PaidNetwork;
}

/** What can be bought here and where it is paid: for people and programs, and in the form that crawlers of x402 ask hosts for. */
export function toolListRoutes(options: ToolListOptions): Routes {
  const json = (value: unknown) =>
    cachedAnswer(JSON.stringify(value), { contentType: "application/json; charset=utf-8" });
  return [
    ...cachedRoutes(PAID_TOOLS_PATH, json(listTools(options))),
    ...cachedRoutes("/.well-known/x402", json(listResources(options))),
  ];
}

function listTools({ catalog, edgeUrl, network }: ToolListOptions) {
  return {
    x402Version: X402_VERSION,
    scheme: "exact",
    network: network.network,
    asset: network.asset,
    payTo: network.payTo,
    tools: catalog.entries.map(({ tool, inputSchema, outputSchema }) => ({
      name: tool.name,
      title: tool.title,
      summary: tool.summary,
      area: tool.area,
      effect: tool.effect,
      url: paidToolUrl(edgeUrl, tool.name),
      priceMicroUsdc: tool.price.toString(),
      priceUsdc: formatDecimal(tool.price),
      apiKeyRequired: !tool.payableWithoutKey,
      inputSchema,
      outputSchema,
    })),
  };
}

/** Only what anybody can buy: who needs a key knows this service already. */
function listResources({ catalog, edgeUrl }: ToolListOptions) {
  const payable = catalog.entries.filter(({ tool }) => tool.payableWithoutKey);
  return {
    version: 1,
    resources: payable.map(({ tool }) => paidToolUrl(edgeUrl, tool.name)),
    instructions: `Send each a POST with its arguments as JSON. GET ${edgeUrl}${PAID_TOOLS_PATH} lists all tools with their prices and schemas.`,
  };
}
