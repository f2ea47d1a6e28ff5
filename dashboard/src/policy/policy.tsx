import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type {
  GetPolicyAnswer,
  ListBudgetsAnswer,
  ListPoliciesAnswer,
  ListPolicyVersionsAnswer,
  ReadPolicyEnforcementAnswer,
} from "../answers.ts";
import { api } from "../api.ts";
import { money } from "../format.ts";
import { ApiCall } from "../parts/api-call.tsx";
import { Choices } from "../parts/choices.tsx";
import { Copy } from "../parts/copy.tsx";
import { useRowKeys } from "../parts/keyboard.ts";
import { Empty, Panel, Problem, Rows, Status } from "../parts/states.tsx";
import { When } from "../parts/time.tsx";
import { CompareVersions } from "./compare-versions.tsx";
import { EditBudget } from "./edit-budget.tsx";
import { EditPolicy } from "./edit-policy.tsx";
import { Enforcement } from "./enforcement.tsx";
import { NewPolicy } from "./new-policy.tsx";
import { Pricing } from "./pricing.tsx";
import { SaidRules } from "./said-rules.tsx";

export function Policy() {
  useRowKeys();
  const { policy } = useSearch({ from: "/policy" });
  const enforcement = useQuery({
    queryKey: ["policy-enforcement"],
    queryFn: ({ signal }) => api<ReadPolicyEnforcementAnswer>("/api/policy-enforcement", { signal }),
  });
  const policies = useQuery({
    queryKey: ["policies"],
    queryFn: ({ signal }) => api<ListPoliciesAnswer>("/api/policies", { signal }),
  });
  const shown = policies.data?.policies ?? [];
  const chosen = policy ?? enforcement.data?.policyId ?? shown[0]?.policyId;
  return (
    <>
      <h1>Policy</h1>
      <div className="columns">
        <div>{chosen !== undefined && <Document key={chosen} policyId={chosen} />}</div>
        <div>
          <Enforcement
            enforced={enforcement.data}
            error={enforcement.error}
            policyIds={shown.map(({ policyId }) => policyId)}
          />
          <Panel title="Policies">
            {policies.isPending && <Rows count={2} />}
            {policies.error !== null && <Problem error={policies.error} retry={() => void policies.refetch()} />}
            <ul className="list plain-list">
              {shown.map(({ policyId, version, effectiveAt }) => (
                <li key={policyId}>
                  <span>
                    <Link data-row to="/policy" search={{ policy: policyId }} className="row-link">
                      {policyId}
                    </Link>
                    <br />
                    <span className="quiet">
                      version {version}
                      {effectiveAt === null ? "" : ", since "}
                      {effectiveAt !== null && <When at={effectiveAt} />}
                    </span>
                  </span>
                  {policyId === enforcement.data?.policyId ? <Status kind="done">Enforced</Status> : <span />}
                </li>
              ))}
            </ul>
            <p className="quiet">
              A workflow run can name a policy of its own. <a href="/docs/travel-policy">How policies work</a>
            </p>
            <NewPolicy />
          </Panel>
          <Budgets />
          <Pricing />
        </div>
      </div>
    </>
  );
}

const FORMS = [
  ["readable", "Rules"],
  ["json", "JSON"],
  ["edit", "Change"],
] as const;

function Document({ policyId }: { policyId: string }) {
  const search = useSearch({ from: "/policy" });
  const navigate = useNavigate({ from: "/policy" });
  const form = FORMS.find(([one]) => one === search.form)?.[0] ?? "readable";
  const version = search.version;
  const path = `/api/policies/${encodeURIComponent(policyId)}${version === undefined ? "" : `?version=${version}`}`;
  const policy = useQuery({
    queryKey: ["policies", policyId, version ?? "now"],
    queryFn: ({ signal }) => api<GetPolicyAnswer>(path, { signal }),
  });
  return (
    <Panel
      title={`${policyId}${policy.data === undefined ? "" : `, version ${policy.data.version}`}`}
      aside={
        <Choices
          label="Form"
          values={FORMS}
          chosen={form}
          choose={(one) => void navigate({ search: (was) => ({ ...was, form: one }), replace: true })}
        />
      }
    >
      {policy.isPending && <Rows count={6} />}
      {policy.error !== null && <Problem error={policy.error} retry={() => void policy.refetch()} />}
      {policy.data !== undefined && (
        <>
          {policy.data.state !== "active" && (
            <p className="notice">
              This version is {policy.data.state}
              {policy.data.effectiveAt !== null && (
                <>
                  , from <When at={policy.data.effectiveAt} />
                </>
              )}
              .
            </p>
          )}
          {form === "readable" && <SaidRules document={policy.data.document} />}
          {form === "json" && <Copy text={JSON.stringify(policy.data.document, null, 2)} label="the policy" />}
          {form === "edit" && <EditPolicy policyId={policyId} document={policy.data.document} />}
        </>
      )}
      <Versions policyId={policyId} />
      <ApiCall calls={[{ method: "GET", path }]} />
    </Panel>
  );
}

function Versions({ policyId }: { policyId: string }) {
  const versions = useQuery({
    queryKey: ["policies", policyId, "versions"],
    queryFn: ({ signal }) =>
      api<ListPolicyVersionsAnswer>(`/api/policies/${encodeURIComponent(policyId)}/versions?limit=50`, { signal }),
  });
  const shown = versions.data?.versions ?? [];
  return (
    <details>
      <summary>Versions</summary>
      {versions.error !== null && <Problem error={versions.error} retry={() => void versions.refetch()} />}
      <ul className="list plain-list">
        {shown.map(({ version, state, createdAt, createdBy }) => (
          <li key={version}>
            <span>
              <Link to="/policy" search={{ policy: policyId, version: String(version) }}>
                Version {version}
              </Link>{" "}
              <span className="quiet">
                {createdAt === null ? "comes with the service" : <When at={createdAt} />}
                {createdBy === null ? "" : `, by ${createdBy}`}
              </span>
            </span>
            <Status kind={state === "active" ? "done" : state === "scheduled" ? "wait" : "quiet"}>{state}</Status>
          </li>
        ))}
      </ul>
      {shown.length > 1 && <CompareVersions policyId={policyId} versions={shown.map(({ version }) => version)} />}
    </details>
  );
}

function Budgets() {
  const budgets = useQuery({
    queryKey: ["budgets"],
    queryFn: ({ signal }) => api<ListBudgetsAnswer>("/api/budgets", { signal }),
  });
  const shown = budgets.data?.budgets ?? [];
  return (
    <Panel title="Budgets">
      {budgets.isPending && <Rows count={2} />}
      {budgets.error !== null && <Problem error={budgets.error} retry={() => void budgets.refetch()} />}
      {budgets.isSuccess && shown.length === 0 && <Empty>There is no budget besides the monthly cap.</Empty>}
      <ul className="list plain-list">
        {shown.map(({ budgetId, amountUsdc, usedUsdc, reservedUsdc, leftUsdc, costCentre, startsOn, endsOn }) => (
          <li key={budgetId}>
            <span>
              <strong>{budgetId}</strong> {costCentre !== undefined && <span className="quiet">{costCentre}</span>}
              <progress
                value={Number(usedUsdc) + Number(reservedUsdc)}
                max={Number(amountUsdc)}
                aria-label={`Spent part of ${budgetId}`}
              />
              <span className="quiet">
                {startsOn === undefined ? "" : `from ${startsOn} `}
                {endsOn === undefined ? "" : `until ${endsOn}`}
              </span>
            </span>
            <span className="amount">
              {money(leftUsdc)} left
              <br />
              <span className="quiet">of {money(amountUsdc)} USDC</span>
            </span>
          </li>
        ))}
      </ul>
      <EditBudget />
      <ApiCall calls={[{ method: "GET", path: "/api/budgets" }]} />
    </Panel>
  );
}
