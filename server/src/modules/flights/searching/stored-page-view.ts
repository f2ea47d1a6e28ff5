import type { ThreadTask } from "../../../ports/threads.ts";
import { type FoundSearch, unpackSearch } from "./found-search.ts";
import { type PageAsk, type PageView, viewPage } from "./page-view.ts";

interface StoredPage extends Omit<FoundSearch, "offers"> {
  view: PageView;
}

/** A page of a stored search. Undefined for the search of another release. */
export const task: ThreadTask<{ packed: Uint8Array; page: PageAsk }, StoredPage | undefined> = {
  module: import.meta.url,
  async run({ packed, page }) {
    const found = await unpackSearch(packed);
    if (found === undefined) return undefined;
    const { offers: _, ...about } = found;
    return { ...about, view: viewPage(found, page) };
  },
};
