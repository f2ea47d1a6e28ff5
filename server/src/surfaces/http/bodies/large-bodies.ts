import { hasAnyScope } from "../../../domain/scopes.ts";
import type { Catalog, CatalogEntry } from "../../../kernel/contracts/catalog.ts";
import { tooLarge } from "./body-bytes.ts";
import { MAXIMUM_BODY_BYTES } from "./json-body.ts";

/** The limits of request bodies where a tool takes larger ones, such as documents. */
export class LargeBodies {
  readonly #catalog: Catalog;
  /** The few tools with larger limits. */
  readonly #entries: readonly CatalogEntry[];
  /** By the scopes of a key, which are the same object while the key is cached. */
  readonly #most = new WeakMap<readonly string[], number>();

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
    this.#entries = catalog.entries.filter(({ tool }) => tool.maximumBodyBytes !== undefined);
  }

  /** The limit before the body's tool is known: the largest of all tools that the key may call. */
  mostFor(scopes: readonly string[]): number {
    const known = this.#most.get(scopes);
    if (known !== undefined) return known;
    const sizes = this.#entries.flatMap((entry) => (hasAnyScope(scopes, entry.scopes) ? mostBytes(entry) : []));
    const most = Math.max(MAXIMUM_BODY_BYTES, ...sizes);
    this.#most.set(scopes, most);
    return most;
  }

  /** The same for callers that pay for single calls instead of having a key. */
  mostForPayers(): number {
    const sizes = this.#entries.flatMap((entry) => (entry.tool.payableWithoutKey ? mostBytes(entry) : []));
    return Math.max(MAXIMUM_BODY_BYTES, ...sizes);
  }

  /** Throws `too_large` if the called tool does not take a body of this size. `toolName`: undefined for none. */
  requireFits(bytes: number, toolName: string | undefined): void {
    if (bytes <= MAXIMUM_BODY_BYTES) return;
    const entry = toolName === undefined ? undefined : this.#catalog.find(toolName);
    const most = entry === undefined ? MAXIMUM_BODY_BYTES : mostBytes(entry);
    if (bytes > most) throw tooLarge(most);
  }
}

/**
 * The limit of the tool's own arguments, if the tool is known before the body. `scopes`: undefined for callers without a key.
 */
export function mostOfCall(entry: CatalogEntry, scopes: readonly string[] | undefined): number {
  return scopes === undefined || hasAnyScope(scopes, entry.scopes) ? mostBytes(entry) : MAXIMUM_BODY_BYTES;
}

const mostBytes = ({ tool }: CatalogEntry): number => tool.maximumBodyBytes ?? MAXIMUM_BODY_BYTES;
