import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { GetPolicyAnswer } from "../answers.ts";
import { api } from "../api.ts";
import { Problem, Rows } from "../parts/states.tsx";
import { Differences } from "./differences.tsx";

/** Two versions of a policy, the newest two at first. */
export function CompareVersions({ policyId, versions }: { policyId: string; versions: readonly number[] }) {
  const [after, setAfter] = useState(String(versions[0]));
  const [before, setBefore] = useState(String(versions[1]));
  const older = useVersion(policyId, before);
  const newer = useVersion(policyId, after);
  const error = older.error ?? newer.error;
  const options = versions.map((version) => (
    <option key={version} value={version}>
      Version {version}
    </option>
  ));
  return (
    <section>
      <h3>Compare versions</h3>
      <div className="pairs">
        <label>
          Before
          <select value={before} onChange={({ target }) => setBefore(target.value)}>
            {options}
          </select>
        </label>
        <label>
          After
          <select value={after} onChange={({ target }) => setAfter(target.value)}>
            {options}
          </select>
        </label>
      </div>
      {error !== null && <Problem error={error} />}
      {older.isPending || newer.isPending ? (
        <Rows count={2} />
      ) : (
        <Differences
          before={older.data?.document}
          after={newer.data?.document}
          none="These two versions have the same rules."
        />
      )}
    </section>
  );
}

function useVersion(policyId: string, version: string) {
  return useQuery({
    queryKey: ["policies", policyId, version],
    queryFn: ({ signal }) =>
      api<GetPolicyAnswer>(`/api/policies/${encodeURIComponent(policyId)}?version=${version}`, { signal }),
  });
}
