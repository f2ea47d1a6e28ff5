import type { BooksPlace } from "./books.ts";
import { type Arguments, UsageError } from "./command-line.ts";

/** The options that name a chain, as the commands about chains share them. */
export const placeOptions = { network: { type: "string" }, chain: { type: "string" } } as const;
export const PLACE_USAGE = "--network sandbox|production [--chain eip155:<id>]";

export function readPlace(args: Arguments): BooksPlace {
  const environment = args.required("network");
  if (environment !== "sandbox" && environment !== "production") {
    throw new UsageError("--network is sandbox or production.");
  }
  const chain = args.text("chain");
  if (chain === undefined || /^eip155:[1-9]\d{0,15}$/.test(chain)) return { environment, chain };
  throw new UsageError("--chain is eip155: and a chain id; without it, the home chain is meant.");
}

export function sayPlace({ environment, chain }: BooksPlace): string {
  return chain === undefined ? `--network ${environment}` : `--network ${environment} --chain ${chain}`;
}
