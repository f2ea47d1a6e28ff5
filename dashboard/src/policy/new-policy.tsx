import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { api } from "../api.ts";
import { ApiCall } from "../parts/api-call.tsx";
import { Problem } from "../parts/states.tsx";

/** Begins a policy without a rule, which limits nothing until it has some and is enforced. */
export function NewPolicy() {
  const queries = useQueryClient();
  const navigate = useNavigate({ from: "/policy" });
  const [policyId, setPolicyId] = useState("");
  const path = `/api/policies/${encodeURIComponent(policyId)}`;
  const body = { document: { title: policyId } };
  const save = useMutation({
    mutationFn: () => api(path, { method: "PUT", body }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ["policies"] });
      await navigate({ search: { policy: policyId, form: "edit" } });
    },
  });
  return (
    <details>
      <summary>Begin a policy</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        <label htmlFor="new-policy">Its id</label>
        <input
          id="new-policy"
          required
          pattern="[A-Za-z0-9][A-Za-z0-9._\-]{0,99}"
          placeholder="acme-2027"
          autoComplete="off"
          value={policyId}
          onChange={({ target }) => setPolicyId(target.value)}
        />
        {save.error !== null && <Problem error={save.error} />}
        <div className="buttons">
          <button type="submit" className="plain" disabled={save.isPending}>
            Begin it
          </button>
        </div>
        <ApiCall calls={[{ method: "PUT", path, body }]} />
      </form>
    </details>
  );
}
