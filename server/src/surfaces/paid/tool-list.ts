import { discounted, formatDecimal } from "../../domain/money.ts";
import { hasAnyScope } from "../../domain/scopes.ts";
import type { Catalog } from "../../kernel/contracts/catalog.ts";
import { discountPercentByPlan, type Environment, type Principal } from "../../ports/identity.ts";
import { cachedAnswer, cachedRoutes } from "../http/cached-answer.ts";
import type { Routes } from "../http/hosts.ts";
import type { HttpHandler } from "../http/http.ts";
import type { SignedAnswers } from "../http/signed-exchange.ts";
import { corsHeaders, preflight } from "./cors.ts";
import { X402_VERSION } from "./payment-headers.ts";
import { PAID_TOOLS_PATH, type PaidChain, paidToolUrl, withoutSandbox } from "./price-tags.ts";

const JSON_TYPE = "application/json; charset=utf-8";

interface ToolListOptions {
  answerSigned: SignedAnswers;
  catalog: Catalog;
  edgeUrl: string;
  paidChains: Readonly<Partial<Record<Environment, PaidChain>>>;
  /** Where a call without a key is paid. */
  environment: Environment;
}

/** There are few combinations of scopes; further ones are not cached. */
const MAXIMUM_LISTS = 200;

/** The list of what can be bought, for people and programs, and in the form that crawlers of x402 ask hosts for. */
export function toolListRoutes(options: ToolListOptions): Routes {
  const handler = createToolList(options);
  const resources = cachedAnswer(JSON.stringify(listResources(options)), { contentType: JSON_TYPE });
  return [
    { method: "GET", path: PAID_TOOLS_PATH, handler },
    { method: "OPTIONS", path: PAID_TOOLS_PATH, handler },
    ...cachedRoutes("/.well-known/x402", resources),
  ];
}

/** With a key: the tools that it may call, at its plan's prices, with its payment target. */
function createToolList(options: ToolListOptions): HttpHandler {
  const lists = new Map<string, string>();
  const listFor = (principal: Principal | undefined): string => {
    const kind = JSON.stringify([principal?.environment, principal?.plan, principal?.scopes]);
    const known = lists.get(kind);
    if (known !== undefined) return known;
    const list = JSON.stringify(listTools(options, principal));
    if (lists.size >= MAXIMUM_LISTS) lists.clear();
    lists.set(kind, list);
    return list;
  };
  return async (request) => {
    const answer = await options.answerSigned(request, async (exchange) => {
      if (request.method === "OPTIONS") return preflight();
      const caller = request.header("authorization") === undefined ? undefined : await exchange.admit();
      return { status: 200, headers: { "content-type": JSON_TYPE }, body: listFor(caller?.principal) };
    });
    Object.assign(answer.headers, corsHeaders);
    return answer;
  };
}

function listTools({ catalog, edgeUrl, paidChains, environment }: ToolListOptions, principal: Principal | undefined) {
  const paidChain = paidChains[principal?.environment ?? environment];
  if (paidChain === undefined) throw withoutSandbox();
  const discount = principal === undefined ? 0 : discountPercentByPlan[principal.plan];
  const entries = catalog.entries.filter(
    ({ scopes }) => principal === undefined || hasAnyScope(principal.scopes, scopes),
  );
  return {
    x402Version: X402_VERSION,
    scheme: "exact",
    network: paidChain.network,
    asset: paidChain.asset,
    payTo: paidChain.payTo,
    tools: entries.map(({ tool, inputSchema, outputSchema }) => {
      const price = discounted(tool.price, discount);
      return {
        name: tool.name,
        title: tool.title,
        summary: tool.summary,
        area: tool.area,
        effect: tool.effect,
        url: paidToolUrl(edgeUrl, tool.name),
        priceMicroUsdc: price.toString(),
        priceUsdc: formatDecimal(price),
        apiKeyRequired: !tool.payableWithoutKey,
        inputSchema,
        outputSchema,
      };
    }),
  };
}

/** Only what anyone can buy: callers that need a key already know this service. */
function listResources({ catalog, edgeUrl }: Pick<ToolListOptions, "catalog" | "edgeUrl">) {
  const payable = catalog.entries.filter(({ tool }) => tool.payableWithoutKey);
  return {
    version: 1,
    resources: payable.map(({ tool }) => paidToolUrl(edgeUrl, tool.name)),
    instructions: `Call each with a POST and its arguments as JSON. GET ${edgeUrl}${PAID_TOOLS_PATH} lists all tools with their prices and schemas.`,
  };
}
