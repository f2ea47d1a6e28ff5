import { useMutation } from "@tanstack/react-query";
import type { CreateTenantAnswer } from "../answers.ts";
import { api } from "../api.ts";
import { FormSheet } from "../parts/form-sheet.tsx";
import type { Plans } from "./plans.ts";
import { readTenantFields, TenantFields } from "./tenant-fields.tsx";

const EMPTY = { name: "", plan: "free", monthlyCapUsdc: "100" };

export function NewTenant(props: { plans: Plans; close: () => void; onMade: (made: CreateTenantAnswer) => void }) {
  const { plans, close, onMade } = props;
  const create = useMutation({
    mutationFn: (body: object) => api<CreateTenantAnswer>("/api/tenants", { method: "POST", body }),
    onSuccess: onMade,
  });
  return (
    <FormSheet
      title="New tenant"
      says="It gets a wallet and a sandbox key, which is shown once."
      lost="Leave without creating the tenant?"
      yes="Create the tenant"
      sent={create}
      submit={(form) => create.mutate(readTenantFields(form))}
      close={close}
    >
      <TenantFields id="new-tenant" given={EMPTY} plans={plans} />
    </FormSheet>
  );
}
