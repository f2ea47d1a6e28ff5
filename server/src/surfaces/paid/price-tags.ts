import type { PaymentRequired } from "@x402/core/types";
import { Failure } from "../../domain/errors.ts";
import type { Micro } from "../../domain/money.ts";
import type { PaymentTerms } from "../../domain/payments.ts";
import type { ToolEffect } from "../../domain/scopes.ts";
import type { Hex } from "../../domain/tokens.ts";
import type { CatalogEntry } from "../../kernel/contracts/catalog.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Environment } from "../../ports/identity.ts";
import { discoveryDetails, discoveryExtension } from "./discovery-extension.ts";
import { encodePaymentHeader, paymentIdentifierExtension, X402_VERSION } from "./payment-headers.ts";

/** The recipient of an environment's payments. */
export interface PaidChain {
  /** CAIP-2. */
  network: `eip155:${number}`;
  asset: Hex;
  payTo: Hex;
  /** EIP-712 name and version of the asset, as read from the chain. */
  extra: { name: string; version: string };
}

/** The price of a call, in the terms of x402. */
export interface PriceTag {
  terms: PaymentTerms;
  /** The members of a 402's body. */
  members: Omit<PaymentRequired, "error">;
  /** The same over MCP, whose clients have the tool's schemas from its list. */
  overMcp: Omit<PaymentRequired, "error">;
  /** PAYMENT-REQUIRED, with the reason for sending it. */
  header(error: string): string;
}

export interface PriceTags {
  /** Undefined: this deployment takes no payments there. */
  of(entry: CatalogEntry, price: Micro, environment: Environment): PriceTag | undefined;
}

/** The error for a sandbox key. */
export const withoutSandbox = (): Failure =>
  new Failure("sandbox_unavailable", {
    detail: "This deployment runs without the sandbox. Use a production key, or none.",
  });

export const PAYMENT_REQUIRED_ERROR = "Payment required";

/** Signing takes no longer; calls that write or spend may run long before they settle. */
const timeoutByEffect: Readonly<Record<ToolEffect, number>> = { read: 120, write: 300, spend: 300 };

/** Many clients and proxies limit headers, and a client repeats the contents of this one. */
const LONGEST_HEADER = 6_000;

/** The terms of a tool at a price on a chain never change, so they are rendered once a day, as examples contain dates. */
export function createPriceTags(options: {
  paidChains: Readonly<Partial<Record<Environment, PaidChain>>>;
  edgeUrl: string;
  clock: Clock;
}): PriceTags {
  const { paidChains, edgeUrl, clock } = options;
  const tags = new Map<string, PriceTag>();
  let day = "";
  return {
    of(entry, price, environment) {
      const paidChain = paidChains[environment];
      if (paidChain === undefined) return undefined;
      const today = clock.now().toZonedDateTimeISO("UTC").toPlainDate();
      if (today.toString() !== day) {
        tags.clear();
        day = today.toString();
      }
      const key = `${environment}|${price}|${entry.tool.name}`;
      const known = tags.get(key);
      if (known !== undefined) return known;
      const tag = createPriceTag({ entry, price, paidChain, url: paidToolUrl(edgeUrl, entry.tool.name), today });
      tags.set(key, tag);
      return tag;
    },
  };
}

export const PAID_TOOLS_PATH = "/tools";

export const paidToolPath = (name: string): string => `${PAID_TOOLS_PATH}/${name}`;
export const paidToolUrl = (edgeUrl: string, name: string): string => edgeUrl + paidToolPath(name);

function createPriceTag({
  entry,
  price,
  paidChain: { network, asset, payTo, extra },
  url,
  today,
}: {
  entry: CatalogEntry;
  price: Micro;
  paidChain: PaidChain;
  url: string;
  today: Temporal.PlainDate;
}): PriceTag {
  const { tool } = entry;
  const maxTimeoutSeconds = timeoutByEffect[tool.effect];
  const face = {
    x402Version: X402_VERSION,
    resource: { url, description: tool.summary, mimeType: "application/json", serviceName: "Wayfare" },
    accepts: [{ scheme: "exact", network, amount: price.toString(), asset, payTo, maxTimeoutSeconds, extra }],
  };
  const extensionsByLength = discoveryDetails.map((detail) => ({
    ...paymentIdentifierExtension,
    ...discoveryExtension(entry, today, detail),
  }));
  const withError = (error: string, extensions: Record<string, unknown>): string =>
    encodePaymentHeader({
      x402Version: face.x402Version,
      error,
      resource: face.resource,
      accepts: face.accepts,
      extensions,
    });
  const inHeader = (error: string): string => {
    for (const extensions of extensionsByLength) {
      const header = withError(error, extensions);
      if (header.length <= LONGEST_HEADER) return header;
    }
    return withError(error, paymentIdentifierExtension);
  };
  const usual = inHeader(PAYMENT_REQUIRED_ERROR);
  return {
    terms: { network, asset, payTo, amount: price, maxTimeoutSeconds, extra },
    members: { ...face, extensions: { ...extensionsByLength[0] } },
    overMcp: {
      ...face,
      resource: { ...face.resource, url: `mcp://tool/${tool.name}` },
      extensions: { ...paymentIdentifierExtension },
    },
    header: (error) => (error === PAYMENT_REQUIRED_ERROR ? usual : inHeader(error)),
  };
}
