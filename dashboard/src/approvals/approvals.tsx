import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { type Approval, api } from "../api.ts";
import { time, toolName } from "../format.ts";
import { Empty, Problem, Rows, Status } from "../parts/states.tsx";

const STATES = ["pending", "approved", "rejected", "expired"] as const;

export function Approvals() {
  const { state = "pending" } = useSearch({ from: "/approvals" });
  const navigate = useNavigate({ from: "/approvals" });
  const approvals = useQuery({
    queryKey: ["approvals", state],
    queryFn: () =>
      api<{ approvals: readonly Approval[] }>(`/api/approvals?limit=50&state=${encodeURIComponent(state)}`),
    refetchInterval: 10_000,
  });
  const shown = approvals.data?.approvals ?? [];
  return (
    <>
      <h1>Approvals</h1>
      <fieldset className="tabs" aria-label="State">
        {STATES.map((one) => (
          <button
            type="button"
            key={one}
            aria-pressed={one === state}
            onClick={() => void navigate({ search: { state: one } })}
          >
            {one}
          </button>
        ))}
      </fieldset>
      {approvals.isPending && <Rows count={3} />}
      {approvals.error !== null && <Problem error={approvals.error} retry={() => void approvals.refetch()} />}
      {approvals.isSuccess && shown.length === 0 && (
        <Empty>{state === "pending" ? "Nothing waits for your decision." : `None is ${state}.`}</Empty>
      )}
      {shown.map((approval) => (
        <Card key={approval.approvalId} approval={approval} />
      ))}
    </>
  );
}

function Card({ approval }: { approval: Approval }) {
  const { approvalId, tool, travelerId, amount, state, requestedBy, requestedAt, expiresAt, policyId, evidence } =
    approval;
  const violations = (evidence?.violations ?? []).flatMap(({ text }) => (text === undefined ? [] : [text]));
  return (
    <article className="panel">
      <header className="panel-head">
        <h2>
          {toolName(tool)} for {travelerId}
        </h2>
        {amount !== null && <p className="figure">{amount} USD</p>}
      </header>
      <p className="quiet">
        Asked by {requestedBy}, {time(requestedAt)}.{" "}
        {state === "pending" ? `It can be decided until ${time(expiresAt)}.` : ""}
      </p>
      <p>By the policy {policyId} a person decides.</p>
      {violations.length > 0 && (
        <ul>
          {violations.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
      {state === "pending" ? (
        <Decision approvalId={approvalId} amount={amount} />
      ) : (
        <Status kind="quiet">{state}</Status>
      )}
      {approval.reason !== null && <p>Reason: {approval.reason}</p>}
    </article>
  );
}

/** No key decides: a decision is a press on a named button. */
function Decision({ approvalId, amount }: Pick<Approval, "approvalId" | "amount">) {
  const [reason, setReason] = useState("");
  const queries = useQueryClient();
  const decide = useMutation({
    mutationFn: (decision: "approve" | "reject") =>
      api(`/api/approvals/${approvalId}/decision`, {
        method: "POST",
        body: { decision, ...(reason.trim() === "" ? {} : { reason: reason.trim() }) },
      }),
    onSettled: () => queries.invalidateQueries({ queryKey: ["approvals"] }),
  });
  return (
    <form onSubmit={(event) => event.preventDefault()}>
      <label htmlFor={`reason-${approvalId}`}>Reason</label>
      <textarea
        id={`reason-${approvalId}`}
        rows={2}
        maxLength={1_000}
        value={reason}
        onChange={({ target }) => setReason(target.value)}
      />
      {decide.error !== null && <Problem error={decide.error} />}
      <div className="buttons decide">
        <button type="button" className="plain" disabled={decide.isPending} onClick={() => decide.mutate("reject")}>
          Refuse
        </button>
        <button type="button" disabled={decide.isPending} onClick={() => decide.mutate("approve")}>
          Approve{amount === null ? "" : ` ${amount} USD`}
        </button>
      </div>
      <p className="quiet">
        <span className="mono">POST /api/approvals/{approvalId}/decision</span>
      </p>
    </form>
  );
}
