import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { ApiError, api } from "../api.ts";
import { ApiCall } from "../parts/api-call.tsx";
import { Problem } from "../parts/states.tsx";

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The rules as JSON: what is saved becomes a new version, and the service checks it. */
export function EditPolicy({ policyId, document }: { policyId: string; document: unknown }) {
  const queries = useQueryClient();
  const navigate = useNavigate({ from: "/policy" });
  const [text, setText] = useState(() => JSON.stringify(document, null, 2));
  const parsed = parse(text);
  const path = `/api/policies/${encodeURIComponent(policyId)}`;
  const body = { document: parsed };
  const save = useMutation({
    mutationFn: () => api(path, { method: "PUT", body }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ["policies"] });
      await navigate({ search: { policy: policyId } });
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <label htmlFor="policy-document">The rules as JSON</label>
      <textarea
        id="policy-document"
        className="mono"
        rows={24}
        spellCheck={false}
        aria-invalid={parsed === undefined}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      {parsed === undefined && <p className="refused">This is not JSON yet.</p>}
      {save.error !== null && (
        <>
          <Problem error={save.error} />
          {save.error instanceof ApiError && (
            <ul>
              {save.error.issues.map((issue) => (
                <li key={`${issue.path} ${issue.message}`}>
                  <span className="mono">{issue.path}</span> {issue.message}
                </li>
              ))}
            </ul>
          )}
        </>
      )}
      <div className="buttons">
        <button type="submit" disabled={parsed === undefined || save.isPending}>
          Save as a new version
        </button>
      </div>
      <ApiCall calls={[{ method: "PUT", path, body }]} />
    </form>
  );
}
