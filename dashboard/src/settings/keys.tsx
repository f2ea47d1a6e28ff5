import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { ReadKeyHoursAnswer } from "../answers.ts";
import { api, type Key, type NewKey } from "../api.ts";
import { member } from "../boot.ts";
import { fromNow, money, time } from "../format.ts";
import { Ask } from "../parts/ask.tsx";
import { LONGEST_OVERLAP, Overlap } from "../parts/overlap.tsx";
import { LIVE_MILLISECONDS } from "../parts/pages.tsx";
import { Empty, Panel, Problem, Rows, Status } from "../parts/states.tsx";
import { hasCalled, KeyHours, useKeyHours } from "./key-hours.tsx";
import { MintSheet } from "./mint-sheet.tsx";
import { ShownKey } from "./shown-key.tsx";

export function Keys() {
  const queries = useQueryClient();
  const [isMinting, setMinting] = useState(false);
  const [rotated, setRotated] = useState<NewKey>();
  const keys = useQuery({ queryKey: ["keys"], queryFn: () => api<{ keys: readonly Key[] }>("/api/keys") });
  const all = keys.data?.keys ?? [];
  const hours = useKeyHours(() => LIVE_MILLISECONDS);
  /** Only now: a list that is read again behind an open secret would close it. */
  const close = () => {
    setMinting(false);
    setRotated(undefined);
    void queries.invalidateQueries({ queryKey: ["keys"] });
  };
  return (
    <>
      <div className="page-head">
        <h1>API keys</h1>
        <button type="button" onClick={() => setMinting(true)}>
          New key
        </button>
      </div>
      <Panel title={`Keys of ${member.tenantName}, ${member.environment}`}>
        <p className="quiet">The bars are the calls of the last 24 hours that were charged.</p>
        {keys.isPending && <Rows count={4} />}
        {keys.error !== null && <Problem error={keys.error} retry={() => void keys.refetch()} />}
        {keys.isSuccess && all.length === 0 && (
          <Empty>There is no key yet. Create one, and an agent can call its first tool.</Empty>
        )}
        <ul className="list keys">
          {all.map((key) => (
            <Row key={key.keyId} of={key} hours={hours.data} onRotated={setRotated} />
          ))}
        </ul>
      </Panel>
      {isMinting && <MintSheet close={close} />}
      {rotated !== undefined && <ShownKey made={rotated} close={close} />}
    </>
  );
}

/** A token of the operator's systems has a key in each tenant that it acts for, and names it so. */
const INTERNAL = "internal token ";

function Row(props: { of: Key; hours: ReadKeyHoursAnswer | undefined; onRotated: (made: NewKey) => void }) {
  const { of: key, hours, onRotated } = props;
  const { keyId, name, start, scopes, state, lastUsedAt, expiresAt, limits } = key;
  const isInternal = name.startsWith(INTERNAL);
  return (
    <li className={state === "active" ? "" : "ended"}>
      <span>
        <strong>{isInternal ? "Internal token" : name}</strong>{" "}
        <span className="mono quiet">{isInternal ? name.slice(INTERNAL.length) : `${start}…`}</span>
        <br />
        <span className="quiet">
          {scopes.map((scope) => (scope === "*" ? "everything that an agent may do" : scope)).join(", ")}
        </span>
        <SaidLimits limits={limits} />
      </span>
      <span>
        <Status kind={state === "active" ? "done" : "quiet"}>{state}</Status>
        <br />
        <span className="quiet">
          {lastUsedAt !== null && `used ${fromNow(lastUsedAt)}`}
          {/* The last use is known half a minute later than the call. */}
          {lastUsedAt === null && (hasCalled(hours, keyId) ? "used just now" : "never used")}
          {expiresAt === null || state !== "active" ? "" : `, expires ${time(expiresAt)}`}
        </span>
        {state === "active" && <KeyHours hours={hours} keyId={keyId} />}
      </span>
      {isInternal && (
        <span className="quiet">For the systems of whoever runs this deployment. Only they can end it.</span>
      )}
      {state === "active" && !isInternal && (
        <span className="buttons">
          <Rotate keyId={keyId} name={name} onRotated={onRotated} />
          <Revoke keyId={keyId} name={name} />
        </span>
      )}
    </li>
  );
}

const LIMITS = [
  ["perCallUsdc", "a call"],
  ["perDayUsdc", "a day"],
  ["perMonthUsdc", "a month"],
  ["feesUsdc", "a month for the calls themselves"],
] as const;

/** The most that a key may spend; what is left of it is in the preview of a call. */
function SaidLimits({ limits }: Pick<Key, "limits">) {
  const amounts = LIMITS.flatMap(([name, per]) => {
    const amount = limits[name];
    return typeof amount === "string" ? [`${money(amount)} USDC ${per}`] : [];
  });
  const { recipients = [], tools = [] } = limits;
  const lists = [
    ...(recipients.length === 0 ? [] : [`to ${recipients.length} recipients only`]),
    ...(tools.length === 0 ? [] : [`with ${tools.length} tools only`]),
  ];
  const said = [...amounts, ...lists];
  if (said.length === 0) return null;
  return (
    <>
      <br />
      <span className="quiet">At most {said.join(", ")}</span>
    </>
  );
}

function Rotate({ keyId, name, onRotated }: { keyId: string; name: string; onRotated: (made: NewKey) => void }) {
  const [overlapHours, setOverlap] = useState(LONGEST_OVERLAP);
  const rotate = useMutation({
    mutationFn: () => api<NewKey>(`/api/keys/${keyId}/rotate`, { method: "POST", body: { overlapHours } }),
    onSuccess: onRotated,
  });
  return (
    <Ask
      button="Rotate"
      title={`Rotate ${name}?`}
      says={
        <>
          <p>A new key with the same scopes and limits is created. Replace the old one everywhere before it ends.</p>
          <Overlap label="The old key works for" hours={overlapHours} change={setOverlap} />
        </>
      }
      yes="Create the new key"
      error={rotate.error}
      run={() => rotate.mutateAsync()}
    />
  );
}

function Revoke({ keyId, name }: { keyId: string; name: string }) {
  const queries = useQueryClient();
  const revoke = useMutation({
    mutationFn: () => api(`/api/keys/${keyId}/revoke`, { method: "POST" }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["keys"] }),
  });
  return (
    <Ask
      button="Revoke"
      title={`Revoke ${name}?`}
      says="Whatever uses the key is refused from now on. It cannot be undone."
      yes="Revoke the key"
      error={revoke.error}
      run={() => revoke.mutateAsync()}
    />
  );
}
