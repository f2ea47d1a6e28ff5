import { compareDocuments } from "./compare-documents.ts";

/** The places at which one document differs from another. */
export function Differences({ before, after, none }: { before: unknown; after: unknown; none: string }) {
  const changes = compareDocuments(before, after);
  if (changes.length === 0) return <p className="quiet">{none}</p>;
  return (
    <ul className="differences">
      {changes.map(({ path, before: was, after: is }) => (
        <li key={path}>
          <span className="mono">{path}</span>
          {was !== undefined && (
            <del>
              <span className="hidden">before: </span>
              {was}
            </del>
          )}
          {is !== undefined && (
            <ins>
              <span className="hidden">after: </span>
              {is}
            </ins>
          )}
        </li>
      ))}
    </ul>
  );
}
