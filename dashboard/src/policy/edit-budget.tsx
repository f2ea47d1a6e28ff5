import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../api.ts";
import { ApiCall } from "../parts/api-call.tsx";
import type { JsonSchema } from "../parts/json-schema.ts";
import { SchemaForm } from "../parts/schema-form.tsx";
import { Problem } from "../parts/states.tsx";

const ids = (description: string): JsonSchema => ({ type: "array", items: { type: "string" }, description });

const BUDGET: JsonSchema = {
  type: "object",
  required: ["budgetId", "amountUsdc"],
  properties: {
    budgetId: { type: "string", description: "A name of your choice; a budget that already has it is replaced" },
    amountUsdc: { type: "string", description: "In USDC, such as 2500" },
    costCentre: { type: "string", description: "Your accounting label" },
    startsOn: { type: "string", format: "date", description: "The first day in UTC. Left out: no start" },
    endsOn: { type: "string", format: "date", description: "The last day in UTC. Left out: no end" },
    keyIds: ids("Only calls with these keys. Left out: any key"),
    travelerIds: ids("Only calls for these users. Left out: any"),
    tripIds: ids("Only money of these trips in escrow. Left out: all spending"),
  },
};

/** Makes a budget, or replaces the one with the same name. */
export function EditBudget() {
  const queries = useQueryClient();
  const [budget, setBudget] = useState<Readonly<Record<string, unknown>>>({});
  const save = useMutation({
    mutationFn: () => api("/api/budgets", { method: "PUT", body: budget }),
    onSuccess: async () => {
      setBudget({});
      await queries.invalidateQueries({ queryKey: ["budgets"] });
    },
  });
  return (
    <details>
      <summary>Make or replace a budget</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        <SchemaForm schema={BUDGET} value={budget} change={setBudget} />
        {save.error !== null && <Problem error={save.error} />}
        <div className="buttons">
          <button type="submit" disabled={save.isPending}>
            Save the budget
          </button>
        </div>
        <ApiCall calls={[{ method: "PUT", path: "/api/budgets", body: budget }]} />
      </form>
    </details>
  );
}
