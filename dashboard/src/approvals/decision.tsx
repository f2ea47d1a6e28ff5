import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type Approval, api } from "../api.ts";
import { money, time } from "../format.ts";
import { Problem } from "../parts/states.tsx";
import { sayUnit } from "./evidence.ts";

/** No key decides: a decision is a press on a named button. On a phone the two stay in reach. */
export function Decision({ approval }: { approval: Approval }) {
  const { approvalId, amount, state, evidence } = approval;
  const [reason, setReason] = useState("");
  const [lacksReason, setLacksReason] = useState(false);
  const queries = useQueryClient();
  const path = `/api/approvals/${approvalId}/decision`;
  const said = reason.trim();
  const body = { ...(said === "" ? {} : { reason: said }) };
  const decide = useMutation({
    mutationFn: (decision: "approve" | "reject") => api(path, { method: "POST", body: { decision, ...body } }),
    onSettled: () => queries.invalidateQueries({ queryKey: ["approvals"] }),
  });
  if (state !== "pending") return <Receipt approval={approval} />;
  const refuse = () => {
    // Whoever asked has to know what to do otherwise.
    if (said === "") {
      setLacksReason(true);
      document.getElementById(`reason-${approvalId}`)?.focus();
    } else decide.mutate("reject");
  };
  return (
    <form onSubmit={(event) => event.preventDefault()}>
      <label htmlFor={`reason-${approvalId}`}>
        Reason <span className="quiet">(required if you refuse)</span>
      </label>
      <textarea
        id={`reason-${approvalId}`}
        rows={2}
        maxLength={1_000}
        value={reason}
        aria-invalid={lacksReason && said === ""}
        onChange={({ target }) => setReason(target.value)}
      />
      {lacksReason && said === "" && <p className="refused">Say why, so that the agent can choose something else.</p>}
      {decide.error !== null && <Problem error={decide.error} />}
      <div className="buttons decide">
        <button type="button" className="plain" disabled={decide.isPending} onClick={refuse}>
          Refuse
        </button>
        <button type="button" disabled={decide.isPending} onClick={() => decide.mutate("approve")}>
          Approve{amount === null ? "" : ` ${money(amount)} ${sayUnit(evidence)}`}
        </button>
      </div>
    </form>
  );
}

/** An internal token names its person in words. */
const sayDecider = (id: string, name: string | null): string =>
  name ?? (id.includes(" for ") ? id.replace(/^svc:\S+ for /, "") : id);

/** The decision, once it is made. */
function Receipt({ approval: { decidedBy, decidedByName, decidedAt, reason, usedAt } }: { approval: Approval }) {
  return (
    <section role="status">
      {decidedAt !== null && (
        <p>
          Decided by {decidedBy === null ? "nobody" : sayDecider(decidedBy, decidedByName)}, {time(decidedAt)}.
        </p>
      )}
      {reason !== null && <p>Reason: {reason}</p>}
      {usedAt !== null && <p>The agent did it {time(usedAt)}.</p>}
    </section>
  );
}
