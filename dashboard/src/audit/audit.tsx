import { useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import type { ReadAuditAnswer } from "../answers.ts";
import { withQuery } from "../api.ts";
import { Choices } from "../parts/choices.tsx";
import { Export } from "../parts/export.tsx";
import { useRowKeys } from "../parts/keyboard.ts";
import { PagedList } from "../parts/paged-list.tsx";
import { Period } from "../parts/period.tsx";
import { useChangeSearch } from "../parts/search-state.ts";
import { Panel } from "../parts/states.tsx";
import { AuditRow, type Line } from "./audit-row.tsx";
import { ACTIONS } from "./say-action.ts";

const WHO = [
  ["all", "Everybody"],
  ["person", "People"],
  ["key", "Agents"],
  ["operator", "Operator"],
  ["service", "Service"],
] as const;

const COLUMNS = [
  "lineId",
  "at",
  "actor",
  "actorKind",
  "actorName",
  "action",
  "subjectId",
  "subjectName",
  "address",
  "program",
  "environment",
  "traceId",
  "details",
] as const satisfies readonly (keyof Line)[];

const readLines = (page: ReadAuditAnswer): readonly Line[] => page.lines;

/** Who changed what, when, and from where. */
export function Audit() {
  const { who, line: open, ...search } = useSearch({ from: "/audit" });
  const change = useChangeSearch();
  useRowKeys();
  const filters = { actorKind: who, ...search };
  const isNarrowed = Object.values(filters).some((value) => value !== undefined);
  return (
    <>
      <h1>Audit log</h1>
      <Choices
        label="Who"
        values={WHO}
        chosen={who ?? "all"}
        choose={(one) => change({ who: one === "all" ? undefined : one, line: undefined })}
      />
      <Panel
        title="Changes and sign-ins"
        aside={
          <span className="buttons">
            {isNarrowed && <ShowAll names={[...Object.keys(search), "who"]} />}
            <Export name="audit" path={withQuery("/api/audit", filters)} columns={COLUMNS} read={readLines} />
          </span>
        }
      >
        <Filters />
        <PagedList
          queryKey={["audit", JSON.stringify(filters)]}
          path={withQuery("/api/audit", { limit: 50, ...filters })}
          read={readLines}
          skeletons={8}
          empty={
            isNarrowed
              ? "No line fits. Choose a longer period, or fewer filters."
              : "Nothing has been changed yet. Every change of keys, members, policies and channels appears here."
          }
        >
          {(lines) => (
            <ul className="list records">
              {lines.map((line) => (
                <AuditRow key={line.lineId} line={line} isOpen={line.lineId === open} />
              ))}
            </ul>
          )}
        </PagedList>
      </Panel>
    </>
  );
}

function ShowAll({ names }: { names: readonly string[] }) {
  const change = useChangeSearch();
  const none = Object.fromEntries(names.map((name) => [name, undefined]));
  return (
    <button type="button" className="plain small" onClick={() => change(none)}>
      Show all
    </button>
  );
}

const PAUSE_MILLISECONDS = 300;

function Filters() {
  const { action, actor, subject, from, to } = useSearch({ from: "/audit" });
  const change = useChangeSearch();
  const known = ACTIONS.some(([value]) => value === (action ?? ""));
  return (
    <div className="audit-filters">
      <Words />
      <label>
        What
        <select value={action ?? ""} onChange={({ target }) => change({ action: target.value, line: undefined })}>
          {ACTIONS.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
          {!known && <option value={action}>{action}</option>}
        </select>
      </label>
      <Period from={from} to={to} change={(days) => change({ ...days, line: undefined }, { replace: true })} />
      {(actor !== undefined || subject !== undefined) && (
        <p className="quiet">
          Only {actor === undefined ? "changes of " : "what was done by "}
          <span className="mono">{actor ?? subject}</span>
        </p>
      )}
    </div>
  );
}

/** The text reaches the address after a pause in typing, so that each letter is no request. */
function Words() {
  const { text = "" } = useSearch({ from: "/audit" });
  const change = useChangeSearch();
  const [typed, type] = useState(text);
  // Once the address says something else, as after "Show all", so does the field.
  useEffect(() => type(text), [text]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what is typed starts the pause.
  useEffect(() => {
    if (typed === text) return;
    const pause = setTimeout(
      () => change({ text: typed === "" ? undefined : typed, line: undefined }, { replace: true }),
      PAUSE_MILLISECONDS,
    );
    return () => clearTimeout(pause);
  }, [typed]);
  return (
    <label>
      Search
      <input
        type="search"
        value={typed}
        maxLength={100}
        autoComplete="off"
        placeholder="A name, an id, an address, a trace"
        onChange={({ target }) => type(target.value)}
      />
    </label>
  );
}
