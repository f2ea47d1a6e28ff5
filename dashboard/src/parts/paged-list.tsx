import type { ReactNode } from "react";
import { ApiCall } from "./api-call.tsx";
import { More, type Page, usePages } from "./pages.tsx";
import { Empty, Problem, Rows } from "./states.tsx";

/** A list of the service in pages, with its states: loading, failed, empty, and more to come. */
export function PagedList<Answer extends Page, Row>(props: {
  /** Begins with the name of the list, as live updates know it. */
  queryKey: readonly string[];
  path: string;
  read: (page: Answer) => readonly Row[];
  empty: ReactNode;
  /** So many rows stand for those that are loading. */
  skeletons?: number;
  children: (rows: readonly Row[], first: Answer) => ReactNode;
}) {
  const { queryKey, path, read, empty, skeletons = 5, children } = props;
  const list = usePages<Answer>(queryKey, path);
  const rows = list.data?.pages.flatMap(read) ?? [];
  const [first] = list.data?.pages ?? [];
  return (
    <>
      {list.isPending && <Rows count={skeletons} />}
      {list.error !== null && <Problem error={list.error} retry={() => void list.refetch()} />}
      {list.isSuccess && rows.length === 0 && (
        <Empty>{list.hasNextPage ? "Nothing so far. Show more to look further back." : empty}</Empty>
      )}
      {rows.length > 0 && first !== undefined && children(rows, first)}
      <More list={list} />
      <ApiCall calls={[{ method: "GET", path }]} />
    </>
  );
}
