import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { Approval } from "../api.ts";
import { api } from "../api.ts";
import { fromNow, money, toolName } from "../format.ts";
import { ApiCall } from "../parts/api-call.tsx";
import { Choices } from "../parts/choices.tsx";
import { useRowKeys } from "../parts/keyboard.ts";
import { Empty, Problem, Rows } from "../parts/states.tsx";
import { Details } from "./approval.tsx";
import { sayBought, sayUnit } from "./evidence.ts";
import { sayForWhom } from "./for-whom.ts";

const STATES = [
  ["pending", "Pending"],
  ["approved", "Approved"],
  ["rejected", "Refused"],
  ["used", "Used"],
  ["expired", "Expired"],
] as const;

const EMPTY = {
  pending: "Nothing waits for your decision.",
  approved: "No approved request waits for its call.",
  rejected: "No request has been refused.",
  used: "No approved call has been made yet.",
  expired: "No request has expired.",
} as const;

/** A list, and the request that is chosen beside it; on a phone the one or the other. */
export function Approvals() {
  useRowKeys();
  const { state: wanted = "pending", id } = useSearch({ from: "/approvals" });
  const state = STATES.find(([one]) => one === wanted)?.[0] ?? "pending";
  const navigate = useNavigate({ from: "/approvals" });
  const path = `/api/approvals?limit=50&state=${state}`;
  const approvals = useQuery({
    queryKey: ["approvals", state],
    queryFn: ({ signal }) => api<{ approvals: readonly Approval[] }>(path, { signal }),
    refetchInterval: 10_000,
  });
  // An approval that no call has used in time is stored as approved, and is shown as expired.
  const all = approvals.data?.approvals ?? [];
  const shown = all.filter((one) => one.state === state);
  const chosen = id ?? shown[0]?.approvalId;
  return (
    <div className={id === undefined ? "approvals" : "approvals has-chosen"}>
      <h1>Approvals</h1>
      <Choices
        label="State"
        values={STATES}
        chosen={state}
        choose={(one) => void navigate({ search: one === "pending" ? {} : { state: one } })}
      />
      <div className="approval-columns">
        <div className="approval-list">
          {approvals.isPending && <Rows count={3} />}
          {approvals.error !== null && <Problem error={approvals.error} retry={() => void approvals.refetch()} />}
          {approvals.isSuccess && shown.length === 0 && <Empty>{EMPTY[state]}</Empty>}
          <ul className="list approval-rows">
            {shown.map((approval) => {
              const { approvalId, tool, amount, expiresAt, evidence } = approval;
              return (
                <li key={approvalId} className={approvalId === chosen ? "chosen" : ""}>
                  <Link
                    data-row
                    to="/approvals"
                    search={{ ...(state === "pending" ? {} : { state }), id: approvalId }}
                    className="row-link"
                    aria-current={approvalId === chosen ? "true" : undefined}
                  >
                    {evidence?.bought == null ? toolName(tool) : sayBought(evidence.bought)}
                  </Link>
                  <span className="amount">{amount === null ? "" : `${money(amount)} ${sayUnit(evidence)}`}</span>
                  <span className="quiet">
                    {sayForWhom(approval)}
                    {state === "pending" && <>, decide {fromNow(expiresAt)}</>}
                  </span>
                </li>
              );
            })}
          </ul>
          <ApiCall calls={[{ method: "GET", path }]} />
        </div>
        {chosen !== undefined && (
          <div className="approval-chosen">
            <p className="crumbs only-phone-block">
              <Link to="/approvals" search={state === "pending" ? {} : { state }}>
                All approvals
              </Link>
            </p>
            <Details key={chosen} approvalId={chosen} />
          </div>
        )}
      </div>
    </div>
  );
}
