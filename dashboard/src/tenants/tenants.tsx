import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useState } from "react";
import type { CreateTenantAnswer, ListTenantsAnswer } from "../answers.ts";
import { api, withQuery } from "../api.ts";
import { money } from "../format.ts";
import { useRowKeys } from "../parts/keyboard.ts";
import { PagedList } from "../parts/paged-list.tsx";
import { useChangeSearch } from "../parts/search-state.ts";
import { Panel } from "../parts/states.tsx";
import { When } from "../parts/time.tsx";
import { ShownKey } from "../settings/shown-key.tsx";
import { ChangeTenant } from "./change-tenant.tsx";
import { NewTenant } from "./new-tenant.tsx";
import { type Plans, sayPlan } from "./plans.ts";

type Tenant = ListTenantsAnswer["tenants"][number];

/** Everybody sees the plan of their own tenant; the operator has all of them. */
export function Tenants() {
  const { text } = useSearch({ from: "/tenants" });
  const queries = useQueryClient();
  const own = useQuery({
    queryKey: ["tenants", "plans"],
    queryFn: ({ signal }) => api<ListTenantsAnswer>("/api/tenants?limit=1", { signal }),
  });
  const { isOperator = false, plans = [] } = own.data ?? {};
  const [isMaking, setMaking] = useState(false);
  const [made, setMade] = useState<CreateTenantAnswer>();
  useRowKeys();
  /** Only now: a list that is read again behind an open secret would close it. */
  const close = () => {
    setMade(undefined);
    void queries.invalidateQueries({ queryKey: ["tenants"] });
  };
  return (
    <>
      <div className="page-head">
        <h1>{isOperator ? "Tenants" : "Your tenant"}</h1>
        {isOperator && (
          <button type="button" onClick={() => setMaking(true)}>
            New tenant
          </button>
        )}
      </div>
      <Panel title={isOperator ? "Tenants of this deployment" : "Plan and cap"}>
        {isOperator && <Find />}
        <PagedList
          queryKey={["tenants", text ?? ""]}
          path={withQuery("/api/tenants", { limit: 50, text })}
          read={(page: ListTenantsAnswer) => page.tenants}
          skeletons={3}
          empty="No tenant has this name or id."
        >
          {(tenants) => (
            <ul className="list records">
              {tenants.map((tenant) => (
                <Row key={tenant.tenantId} tenant={tenant} plans={isOperator ? plans : undefined} />
              ))}
            </ul>
          )}
        </PagedList>
      </Panel>
      {!isOperator && (
        <p className="quiet">
          Whoever operates this deployment changes plans and caps. The cap counts calendar months.
        </p>
      )}
      {isMaking && (
        <NewTenant
          plans={plans}
          close={() => setMaking(false)}
          onMade={(answer) => {
            setMaking(false);
            setMade(answer);
          }}
        />
      )}
      {made !== undefined && (
        <ShownKey made={{ apiKey: made.apiKey, key: { name: `Sandbox key of ${made.tenant.name}` } }} close={close} />
      )}
    </>
  );
}

function Find() {
  const { text = "" } = useSearch({ from: "/tenants" });
  const change = useChangeSearch();
  return (
    <label className="find-tenant">
      Find a tenant
      <input
        type="search"
        value={text}
        maxLength={100}
        autoComplete="off"
        placeholder="A name or an id"
        onChange={({ target }) => change({ text: target.value }, { replace: true })}
      />
    </label>
  );
}

/** `plans`: those to choose from; undefined: the viewer changes nothing. */
function Row({ tenant, plans }: { tenant: Tenant; plans: Plans | undefined }) {
  const { tenant: changing } = useSearch({ from: "/tenants" });
  const change = useChangeSearch();
  const { tenantId, name, plan, discountPercent, monthlyCapUsdc, isBeta, createdAt } = tenant;
  const isOpen = changing === tenantId;
  return (
    <li>
      <span>
        <strong>{name}</strong>
        <br />
        <span className="mono quiet">{tenantId}</span>
      </span>
      <span>
        {sayPlan(plan, discountPercent)}
        <br />
        <span className="quiet">
          cap {money(monthlyCapUsdc)} USDC a month, since <When at={createdAt} />
          {isBeta ? ", works in the sandbox only" : ""}
        </span>
      </span>
      {plans !== undefined && (
        <span className="buttons">
          <button
            type="button"
            className="plain small"
            data-row
            aria-expanded={isOpen}
            aria-label={`Change ${name}`}
            onClick={() => change({ tenant: isOpen ? undefined : tenantId }, { replace: true })}
          >
            Change
          </button>
        </span>
      )}
      {plans !== undefined && isOpen && (
        <ChangeTenant tenant={tenant} plans={plans} close={() => change({ tenant: undefined }, { replace: true })} />
      )}
    </li>
  );
}
