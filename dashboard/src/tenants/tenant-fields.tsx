import { type Plans, sayPlan } from "./plans.ts";

interface Fields {
  name: string;
  plan: string;
  monthlyCapUsdc: string;
}

/** The operator decides these of a tenant. */
export function TenantFields({ id, given, plans }: { id: string; given: Fields; plans: Plans }) {
  return (
    <>
      <label htmlFor={`${id}-name`}>Name</label>
      <input id={`${id}-name`} name="name" required maxLength={100} defaultValue={given.name} />
      <label htmlFor={`${id}-plan`}>Plan</label>
      <select id={`${id}-plan`} name="plan" defaultValue={given.plan}>
        {plans.map(({ plan, discountPercent }) => (
          <option key={plan} value={plan}>
            {sayPlan(plan, discountPercent)}
          </option>
        ))}
      </select>
      <label htmlFor={`${id}-cap`}>Most that its calls may cost a month, in USDC</label>
      <input
        id={`${id}-cap`}
        name="monthlyCapUsdc"
        required
        inputMode="decimal"
        pattern="\d+(\.\d{1,6})?"
        maxLength={20}
        defaultValue={given.monthlyCapUsdc}
      />
    </>
  );
}

export const readTenantFields = (form: HTMLFormElement): Fields => {
  const read = (name: string) => String(new FormData(form).get(name) ?? "").trim();
  return { name: read("name"), plan: read("plan"), monthlyCapUsdc: read("monthlyCapUsdc") };
};
