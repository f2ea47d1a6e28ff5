import { useInfiniteQuery } from "@tanstack/react-query";
import { api } from "../api.ts";

export interface Page {
  nextCursor: string | null;
}

/** While it is on screen, a list is read again this often; a hidden tab asks nothing. */
export const LIVE_MILLISECONDS = 15_000;

/** Events tell of every change to these at once (live.ts): the timer only catches what was missed. */
const FOLLOWED: ReadonlySet<string> = new Set(["orders", "trips", "runs", "invoices"]);
const FOLLOWED_MILLISECONDS = 60_000;

/** A list in pages, kept up to date while its tab is visible. `every`: how often, if it depends on what the list says. */
export function usePages<Answer extends Page>(
  key: readonly string[],
  path: string,
  every?: (pages: readonly Answer[]) => number,
) {
  const usual = FOLLOWED.has(key[0] ?? "") ? FOLLOWED_MILLISECONDS : LIVE_MILLISECONDS;
  return useInfiniteQuery({
    queryKey: key,
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) => {
      const mark = path.includes("?") ? "&" : "?";
      return api<Answer>(pageParam === "" ? path : `${path}${mark}cursor=${encodeURIComponent(pageParam)}`, { signal });
    },
    getNextPageParam: (last) => last.nextCursor ?? undefined,
    refetchInterval: ({ state }) => every?.(state.data?.pages ?? []) ?? usual,
  });
}

interface Paged {
  data?: { pages: readonly unknown[] } | undefined;
  hasNextPage: boolean;
}

interface PagedList extends Paged {
  isFetchingNextPage: boolean;
  fetchNextPage(options: { cancelRefetch: boolean }): Promise<Paged>;
}

const MOST_TRIES = 5;

/** A list that is just read again is left to that, and one that begins to be read again gives the next page up: so it is asked for again. */
async function readNextPage(list: PagedList): Promise<void> {
  const shown = list.data?.pages.length ?? 0;
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const { data, hasNextPage } = await list.fetchNextPage({ cancelRefetch: false });
    if (!hasNextPage || (data?.pages.length ?? 0) > shown) return;
  }
}

/** Reads the next page of a list, if there is one. */
export function More({ list }: { list: PagedList }) {
  if (!list.hasNextPage) return null;
  return (
    <button
      type="button"
      className="plain more"
      disabled={list.isFetchingNextPage}
      onClick={() => void readNextPage(list)}
    >
      {list.isFetchingNextPage ? "Loading" : "Show more"}
    </button>
  );
}
