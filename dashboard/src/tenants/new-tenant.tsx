import { Dialog } from "@base-ui/react/dialog";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { CreateTenantAnswer } from "../answers.ts";
import { api } from "../api.ts";
import { Problem } from "../parts/states.tsx";
import type { Plans } from "./plans.ts";
import { readTenantFields, TenantFields } from "./tenant-fields.tsx";

const EMPTY = { name: "", plan: "free", monthlyCapUsdc: "100" };

export function NewTenant(props: { plans: Plans; close: () => void; onMade: (made: CreateTenantAnswer) => void }) {
  const { plans, close, onMade } = props;
  const [isDirty, setDirty] = useState(false);
  const create = useMutation({
    mutationFn: (body: object) => api<CreateTenantAnswer>("/api/tenants", { method: "POST", body }),
    onSuccess: onMade,
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    create.mutate(readTenantFields(event.currentTarget));
  };
  const leave = () => {
    if (!isDirty || confirm("Leave without creating the tenant?")) close();
  };
  return (
    <Dialog.Root open onOpenChange={leave}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="sheet">
          <Dialog.Title>New tenant</Dialog.Title>
          <Dialog.Description>It gets a wallet and a sandbox key, which is shown once.</Dialog.Description>
          <form onSubmit={submit} onChange={() => setDirty(true)}>
            <TenantFields id="new-tenant" given={EMPTY} plans={plans} />
            {create.error !== null && <Problem error={create.error} />}
            <div className="buttons">
              <Dialog.Close className="plain">Cancel</Dialog.Close>
              <button type="submit" disabled={create.isPending}>
                Create the tenant
              </button>
            </div>
          </form>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
