import { useQuery } from "@tanstack/react-query";
import { Link, type LinkProps } from "@tanstack/react-router";
import type { GetOrdersAnswer, ReadPolicyEnforcementAnswer } from "../answers.ts";
import { api, type Key, type UsagePage } from "../api.ts";
import { Panel, Status } from "../parts/states.tsx";

interface Step {
  isDone: boolean;
  name: string;
  says: string;
  link: Pick<LinkProps, "to" | "search">;
}

export const ANY_ORDER = {
  queryKey: ["orders", "any"],
  queryFn: ({ signal }: { signal: AbortSignal }) => api<GetOrdersAnswer>("/api/orders?limit=1", { signal }),
  retry: false,
} as const;

/** The way to a first booking, until there is one. What the roles do not include counts as not done. */
export function StartHere() {
  const orders = useQuery(ANY_ORDER);
  const enabled = orders.data?.orders.length === 0;
  const keys = useQuery({
    queryKey: ["keys", "any"],
    queryFn: ({ signal }) => api<{ keys: readonly Key[] }>("/api/keys", { signal }),
    enabled,
    retry: false,
  });
  const usage = useQuery({
    queryKey: ["usage", "totals"],
    queryFn: () => api<UsagePage>("/api/usage?limit=1"),
    enabled,
    retry: false,
  });
  const enforcement = useQuery({
    queryKey: ["enforcement", "any"],
    queryFn: ({ signal }) => api<ReadPolicyEnforcementAnswer>("/api/policy-enforcement", { signal }),
    enabled,
    retry: false,
  });
  if (!enabled) return null;
  const steps: readonly Step[] = [
    {
      isDone: keys.data?.keys.some(({ state }) => state === "active") ?? false,
      name: "Create a key",
      says: "Your agent calls with it.",
      link: { to: "/settings/keys" },
    },
    {
      isDone: Number(usage.data?.totals.spentMicroUsdc ?? 0) > 0,
      name: "Make a first call",
      says: "Search for a flight in the playground, or with the key.",
      link: { to: "/playground", search: { tool: "search_flights" } },
    },
    {
      isDone: false,
      name: "Book a flight",
      says: "Press “Book this” on an offer of the search. You see the price before you pay.",
      link: { to: "/playground", search: { tool: "search_flights" } },
    },
    {
      isDone: (enforcement.data?.policyId ?? null) !== null,
      name: "Decide what needs your approval",
      says: "Write a policy and enforce it. What it does not allow waits under Approvals.",
      link: { to: "/policy" },
    },
  ];
  return (
    <Panel title="Start here">
      <ol className="list steps">
        {steps.map(({ isDone, name, says, link }) => (
          <li key={name}>
            <span>
              <Link {...link}>{name}</Link>
              <br />
              <span className="quiet">{says}</span>
            </span>
            <Status kind={isDone ? "done" : "quiet"}>{isDone ? "Done" : "To do"}</Status>
          </li>
        ))}
      </ol>
    </Panel>
  );
}
