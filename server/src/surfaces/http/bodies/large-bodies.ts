import { hasOneOf } from "../../../domain/scopes.ts";
import type { Catalog, CatalogEntry } from "../../../kernel/contracts/catalog.ts";
import { tooLarge } from "./body-bytes.ts";
import { MAXIMUM_BODY_BYTES } from "./json-body.ts";

/** What request bodies may have where a tool takes more than others, such as documents. */
export class LargeBodies {
  readonly #catalog: Catalog;
  /** Of few tools. */
  readonly #entries: readonly CatalogEntry[];

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
    this.#entries = catalog.entries.filter(({ tool }) => tool.maximumBodyBytes !== undefined);
  }

  /** Before it is known which tool a body names: the most that any tool takes which the key may call. */
  mostFor(scopes: readonly string[]): number {
    const sizes = this.#entries.flatMap((entry) => (hasOneOf(scopes, entry.scopes) ? mostOf(entry) : []));
    return Math.max(MAXIMUM_BODY_BYTES, ...sizes);
  }

  /** Throws `too_large` for a body of so many bytes that calls a tool which does not take them. `toolName`: undefined for none. */
  requireFits(bytes: number, toolName: string | undefined): void {
    if (bytes <= MAXIMUM_BODY_BYTES) return;
    const entry = toolName === undefined ? undefined : this.#catalog.find(toolName);
    const most = entry === undefined ? MAXIMUM_BODY_BYTES : mostOf(entry);
    if (bytes > most) throw tooLarge(most);
  }
}

/** Of the tool's own arguments, where the tool is known before the body. `scopes`: undefined for who has no key. */
export function mostOfCall(entry: CatalogEntry, scopes: readonly string[] | undefined): number {
  return scopes === undefined || hasOneOf(scopes, entry.scopes) ? mostOf(entry) : MAXIMUM_BODY_BYTES;
}

const mostOf = ({ tool }: CatalogEntry): number => tool.maximumBodyBytes ?? MAXIMUM_BODY_BYTES;
