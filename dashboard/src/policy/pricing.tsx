import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../api.ts";
import { money } from "../format.ts";
import { ApiCall } from "../parts/api-call.tsx";
import { Panel, Problem, Rows } from "../parts/states.tsx";
import { When } from "../parts/time.tsx";

const PATH = "/api/agent/dispatch";
const TAKES = ["add_to_customer", "deduct_from_markup"] as const;
const MICRO_DIGITS = 6;

interface PricingPolicy {
  version: number;
  markupConfig: { strategy: "static"; bps: number };
  floorMicroUsdc: string;
  ceilingMicroUsdc: string | null;
  serviceTakeBehavior: (typeof TAKES)[number];
  activatedAt: string | null;
  activatedBy: string | null;
}

interface Price {
  accepted: boolean;
  problem: { detail: string } | null;
  price: {
    costUsdc: string;
    markupUsdc: string;
    serviceTakeUsdc: string;
    totalUsdc: string;
    vendorGetsUsdc: string;
    youGetUsdc: string;
    isOverCeiling: boolean;
  } | null;
}

/** How the tenant prices what it resells. Reading it is a call of a tool, so that it is read when somebody wants to see it. */
export function Pricing() {
  const [isOpen, open] = useState(false);
  const pricing = useQuery({
    queryKey: ["pricing"],
    enabled: isOpen,
    queryFn: async ({ signal }) => {
      const body = { tool: "get_tenant_pricing_policy", args: {} };
      const { result } = await api<{ result: PricingPolicy & { versions: readonly PricingPolicy[] } }>(PATH, {
        method: "POST",
        body,
        signal,
      });
      return result;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Panel title="Pricing">
      <p className="quiet">Your markup on what you resell from a trip’s budget, and who pays Wayfare’s fee.</p>
      {!isOpen && (
        <button type="button" className="plain" onClick={() => open(true)}>
          Read the pricing (0.0005 USDC)
        </button>
      )}
      {isOpen && pricing.isPending && <Rows count={4} />}
      {pricing.error !== null && <Problem error={pricing.error} retry={() => void pricing.refetch()} />}
      {pricing.data !== undefined && (
        <>
          <Edit key={pricing.data.version} active={pricing.data} />
          <PricingVersions versions={pricing.data.versions} />
        </>
      )}
    </Panel>
  );
}

/** "12.5" is 12500000; undefined where it is no amount. */
function toMicro(decimal: string): string | undefined {
  const [, whole, part = ""] = /^(\d{1,12})(?:\.(\d{1,6}))?$/.exec(decimal) ?? [];
  return whole === undefined ? undefined : BigInt(whole + part.padEnd(MICRO_DIGITS, "0")).toString();
}

function fromMicro(micro: string): string {
  const digits = micro.padStart(MICRO_DIGITS + 1, "0");
  return `${digits.slice(0, -MICRO_DIGITS)}.${digits.slice(-MICRO_DIGITS)}`.replace(/\.?0+$/, "");
}

function Edit({ active }: { active: PricingPolicy }) {
  const queries = useQueryClient();
  const [percent, setPercent] = useState(String(active.markupConfig.bps / 100));
  const [floor, setFloor] = useState(fromMicro(active.floorMicroUsdc));
  const [ceiling, setCeiling] = useState(active.ceilingMicroUsdc === null ? "" : fromMicro(active.ceilingMicroUsdc));
  const [take, setTake] = useState(active.serviceTakeBehavior);
  const [cost, setCost] = useState("200");
  const policy = {
    markupConfig: { strategy: "static", bps: Math.round(Number(percent) * 100) },
    floorMicroUsdc: toMicro(floor === "" ? "0" : floor) ?? floor,
    ceilingMicroUsdc: ceiling === "" ? null : (toMicro(ceiling) ?? ceiling),
    serviceTakeBehavior: take,
  };
  const example = { tool: "preview_price", args: { costMicroUsdc: toMicro(cost) ?? cost, policy } };
  const change = { tool: "activate_tenant_pricing_policy", args: policy };
  const price = useMutation({
    mutationFn: async () => ({
      of: JSON.stringify(example),
      ...(await api<{ result: Price }>(PATH, { method: "POST", body: example })),
    }),
  });
  const activate = useMutation({
    mutationFn: () => api(PATH, { method: "POST", body: change }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["pricing"] }),
  });
  const priced = price.data?.of === JSON.stringify(example) ? price.data.result : undefined;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        activate.mutate();
      }}
    >
      <div className="pairs">
        <Amount label="Markup, percent of the cost" value={percent} change={setPercent} />
        <Amount label="At least, USDC" value={floor} change={setFloor} />
        <Amount label="At most, USDC" value={ceiling} change={setCeiling} hint="no limit" />
        <label>
          Wayfare’s fee
          <select
            value={take}
            onChange={({ target }) => setTake(TAKES.find((one) => one === target.value) ?? "add_to_customer")}
          >
            <option value="add_to_customer">is paid by the customer</option>
            <option value="deduct_from_markup">comes out of your markup</option>
          </select>
        </label>
      </div>
      <h3>A worked example</h3>
      <div className="pairs">
        <Amount label="The supplier is paid, USDC" value={cost} change={setCost} />
        <div className="buttons at-end">
          <button type="button" className="plain" disabled={price.isPending} onClick={() => price.mutate()}>
            Work it out (0.0005 USDC)
          </button>
        </div>
      </div>
      {price.error !== null && <Problem error={price.error} />}
      {priced !== undefined && <Example priced={priced} />}
      {activate.error !== null && <Problem error={activate.error} />}
      <div className="buttons">
        <button type="submit" disabled={activate.isPending}>
          Activate this pricing (0.005 USDC)
        </button>
      </div>
      <ApiCall
        calls={[
          { method: "POST", path: PATH, body: example },
          { method: "POST", path: PATH, body: change },
        ]}
      />
    </form>
  );
}

function Amount(props: { label: string; value: string; change: (value: string) => void; hint?: string }) {
  const { label, value, change, hint = "" } = props;
  return (
    <label>
      {label}
      <input inputMode="decimal" placeholder={hint} value={value} onChange={({ target }) => change(target.value)} />
    </label>
  );
}

/** By the service's own arithmetic: this page computes nothing. */
function Example({ priced: { accepted, problem, price } }: { priced: Price }) {
  return (
    <div role="status">
      {price !== null && (
        <dl className="details worked">
          <dt>Cost</dt>
          <dd className="amount">{money(price.costUsdc)} USDC</dd>
          <dt>Your markup</dt>
          <dd className="amount">{money(price.markupUsdc)} USDC</dd>
          <dt>Wayfare’s fee</dt>
          <dd className="amount">{money(price.serviceTakeUsdc)} USDC</dd>
          <dt>The customer pays</dt>
          <dd className="amount">
            <strong>{money(price.totalUsdc)} USDC</strong>
          </dd>
          <dt>The supplier gets</dt>
          <dd className="amount">{money(price.vendorGetsUsdc)} USDC</dd>
          <dt>You get</dt>
          <dd className="amount">{money(price.youGetUsdc)} USDC</dd>
        </dl>
      )}
      {!accepted && problem !== null && <p className="notice">A booking at this price is refused: {problem.detail}</p>}
    </div>
  );
}

function PricingVersions({ versions }: { versions: readonly PricingPolicy[] }) {
  if (versions.length === 0) return <p className="quiet">Nobody has activated a pricing: these are the defaults.</p>;
  return (
    <details>
      <summary>Versions</summary>
      <ul className="list plain-list">
        {versions.map(({ version, markupConfig, activatedAt, activatedBy }) => (
          <li key={version}>
            <span>
              Version {version}: {markupConfig.bps / 100} %{" "}
              <span className="quiet">
                {activatedAt !== null && <When at={activatedAt} />}
                {activatedBy === null ? "" : `, by ${activatedBy}`}
              </span>
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}
