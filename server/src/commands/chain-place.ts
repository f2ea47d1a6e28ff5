import type { Books, BooksPlace } from "./books.ts";
import { type Arguments, type Command, type Report, UsageError } from "./command-line.ts";

/** Opens the ledger that a command names. */
export type OpenBooks = <Result>(place: BooksPlace, work: (books: Books) => Promise<Result>) => Promise<Result>;
export type BooksCommand = Command<OpenBooks>;

/** A command about the books of one chain, which its options name. */
export function defineBooksCommand({
  name,
  summary,
  usage = "",
  positionals = [],
  options = {},
  prepare,
}: Pick<BooksCommand, "name" | "summary"> &
  Partial<Pick<BooksCommand, "usage" | "positionals" | "options">> & {
    /** Checks the arguments before anything is opened, and returns the operation. */
    prepare(args: Arguments, place: BooksPlace): (books: Books) => Promise<Report>;
  }): BooksCommand {
  return {
    name,
    summary,
    usage: `--network sandbox|production [--chain eip155:<id>] ${usage}`.trimEnd(),
    positionals,
    options: { ...options, network: { type: "string" }, chain: { type: "string" } },
    prepare(args) {
      const place = readPlace(args);
      const work = prepare(args, place);
      return (openBooks) => openBooks(place, work);
    },
  };
}

function readPlace(args: Arguments): BooksPlace {
  const environment = args.required("network");
  if (environment !== "sandbox" && environment !== "production") {
    throw new UsageError("--network must be sandbox or production.");
  }
  const chain = args.text("chain");
  if (chain === undefined || /^eip155:[1-9]\d{0,15}$/.test(chain)) return { environment, chain };
  throw new UsageError("--chain must be eip155: and a chain id; the default is the home chain.");
}

export function sayPlace({ environment, chain }: BooksPlace): string {
  return chain === undefined ? `--network ${environment}` : `--network ${environment} --chain ${chain}`;
}
