import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ListTenantsAnswer } from "../answers.ts";
import { api } from "../api.ts";
import { ApiCall } from "../parts/api-call.tsx";
import { RowForm } from "../parts/row-form.tsx";
import type { Plans } from "./plans.ts";
import { readTenantFields, TenantFields } from "./tenant-fields.tsx";

export function ChangeTenant(props: { tenant: ListTenantsAnswer["tenants"][number]; plans: Plans; close: () => void }) {
  const { tenant, plans, close } = props;
  const queries = useQueryClient();
  const path = `/api/tenants/${tenant.tenantId}`;
  const save = useMutation({
    mutationFn: (body: object) => api(path, { method: "POST", body }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ["tenants"] });
      close();
    },
  });
  return (
    <RowForm className="whole-row" sent={save} submit={(form) => save.mutate(readTenantFields(form))} close={close}>
      <TenantFields id={tenant.tenantId} given={tenant} plans={plans} />
      <p className="quiet">It applies from the tenant’s next call.</p>
      <ApiCall calls={[{ method: "POST", path, body: { plan: "pro" } }]} />
    </RowForm>
  );
}
