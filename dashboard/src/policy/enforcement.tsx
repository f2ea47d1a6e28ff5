import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ReadPolicyEnforcementAnswer } from "../answers.ts";
import { api } from "../api.ts";
import { Ask } from "../parts/ask.tsx";
import { Panel, Problem, Rows } from "../parts/states.tsx";
import { When } from "../parts/time.tsx";

/** The policy that binds every direct call. Changing it changes what agents may do, so that it asks first. */
export function Enforcement(props: {
  enforced: ReadPolicyEnforcementAnswer | undefined;
  error: Error | null;
  policyIds: readonly string[];
}) {
  const { enforced, error, policyIds } = props;
  return (
    <Panel title="Enforced">
      {enforced === undefined && error === null && <Rows count={1} />}
      {error !== null && <Problem error={error} />}
      {enforced !== undefined && (
        <>
          <p>
            {enforced.policyId === null
              ? "No policy limits direct calls."
              : `Every direct call must comply with ${enforced.policyId}.`}{" "}
            {enforced.changedAt !== null && (
              <span className="quiet">
                Since <When at={enforced.changedAt} />
              </span>
            )}
          </p>
          <div className="buttons">
            {enforced.policyId !== null && <Change policyId={null} />}
            {policyIds
              .filter((policyId) => policyId !== enforced.policyId)
              .map((policyId) => (
                <Change key={policyId} policyId={policyId} />
              ))}
          </div>
        </>
      )}
    </Panel>
  );
}

function Change({ policyId }: { policyId: string | null }) {
  const queries = useQueryClient();
  const body = { policyId };
  const change = useMutation({
    mutationFn: () => api("/api/policy-enforcement", { method: "PUT", body }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["policy-enforcement"] }),
  });
  return (
    <Ask
      button={policyId === null ? "Enforce none" : `Enforce ${policyId}`}
      title={policyId === null ? "Enforce no policy?" : `Enforce ${policyId}?`}
      says={
        policyId === null
          ? "Agents may then spend within their keys’ limits and the cap alone."
          : "Direct calls that break its rules are refused, or wait for a person. It applies to the next call."
      }
      yes={policyId === null ? "Enforce none" : "Enforce it"}
      error={change.error}
      run={() => change.mutateAsync()}
      call={{ method: "PUT", path: "/api/policy-enforcement", body }}
    />
  );
}
