import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import { Frame } from "./frame.tsx";
import { Home } from "./home/home.tsx";

const rootRoute = createRootRoute({
  component: Frame,
  notFoundComponent: () => (
    <>
      <h1>There is no such page</h1>
      <p>
        <a href="/dashboard">Go to Home</a>
      </p>
    </>
  ),
});

type Search = Readonly<Record<string, unknown>>;

/** Members of the address that a page keeps; whatever else stands there is dropped. */
function keepTexts<const Name extends string>(...names: readonly Name[]) {
  return (search: Search): { [Each in Name]?: string } => {
    const kept: { [Each in Name]?: string } = {};
    for (const name of names) {
      const value = search[name];
      if (typeof value === "string") kept[name] = value;
      // The router reads digits as a number.
      else if (typeof value === "number") kept[name] = String(value);
    }
    return kept;
  };
}

/** A member with few values: any other is dropped. */
function keepOne<const Value extends string>(value: unknown, values: readonly Value[]): Value | undefined {
  return values.find((one) => one === value);
}

const home = createRoute({ getParentRoute: () => rootRoute, path: "/", component: Home });

const more = createRoute({
  getParentRoute: () => rootRoute,
  path: "/more",
  component: lazyRouteComponent(() => import("./more.tsx"), "More"),
});

const approvals = createRoute({
  getParentRoute: () => rootRoute,
  path: "/approvals",
  validateSearch: keepTexts("state", "id"),
  component: lazyRouteComponent(() => import("./approvals/approvals.tsx"), "Approvals"),
});

const trips = createRoute({
  getParentRoute: () => rootRoute,
  path: "/trips",
  validateSearch: ({ list, status }: Search): { list?: "budgets"; status?: "confirmed" | "held" | "cancelled" } => {
    const budgets = keepOne(list, ["budgets"]);
    const kept = keepOne(status, ["confirmed", "held", "cancelled"]);
    return { ...(budgets === undefined ? {} : { list: budgets }), ...(kept === undefined ? {} : { status: kept }) };
  },
  component: lazyRouteComponent(() => import("./trips/trips.tsx"), "Trips"),
});

const order = createRoute({
  getParentRoute: () => rootRoute,
  path: "/trips/orders/$orderId",
  component: lazyRouteComponent(() => import("./trips/order.tsx"), "Order"),
});

const budget = createRoute({
  getParentRoute: () => rootRoute,
  path: "/trips/budgets/$tripId",
  component: lazyRouteComponent(() => import("./trips/budget.tsx"), "Budget"),
});

const RUN_STATUSES = ["running", "paused", "completed", "failed"] as const;

const runs = createRoute({
  getParentRoute: () => rootRoute,
  path: "/runs",
  validateSearch: ({ status }: Search): { status?: (typeof RUN_STATUSES)[number] } => {
    const kept = keepOne(status, RUN_STATUSES);
    return kept === undefined ? {} : { status: kept };
  },
  component: lazyRouteComponent(() => import("./runs/runs.tsx"), "Runs"),
});

const run = createRoute({
  getParentRoute: () => rootRoute,
  path: "/runs/$runId",
  validateSearch: keepTexts("step"),
  component: lazyRouteComponent(() => import("./runs/run.tsx"), "Run"),
});

const money = createRoute({
  getParentRoute: () => rootRoute,
  path: "/money",
  validateSearch: keepTexts("from", "to"),
  component: lazyRouteComponent(() => import("./money/money.tsx"), "Money"),
});

const playground = createRoute({
  getParentRoute: () => rootRoute,
  path: "/playground",
  validateSearch: keepTexts("tool", "refused"),
  component: lazyRouteComponent(() => import("./playground/playground.tsx"), "Playground"),
});

interface ChannelSearch {
  list?: "events" | "places";
  channel?: string;
  state?: string;
  record?: string;
  endpoint?: string;
}

const channels = createRoute({
  getParentRoute: () => rootRoute,
  path: "/channels",
  validateSearch: (search: Search): ChannelSearch => {
    const list = keepOne(search.list, ["events", "places"]);
    const kept = keepTexts("channel", "state", "record", "endpoint")(search);
    return list === undefined ? kept : { ...kept, list };
  },
  component: lazyRouteComponent(() => import("./channels/channels.tsx"), "Channels"),
});

const policy = createRoute({
  getParentRoute: () => rootRoute,
  path: "/policy",
  validateSearch: keepTexts("policy", "version", "form"),
  component: lazyRouteComponent(() => import("./policy/policy.tsx"), "Policy"),
});

const sandbox = createRoute({
  getParentRoute: () => rootRoute,
  path: "/sandbox",
  component: lazyRouteComponent(() => import("./sandbox/sandbox.tsx"), "Sandbox"),
});

const usage = createRoute({
  getParentRoute: () => rootRoute,
  path: "/usage",
  validateSearch: keepTexts("call", "code", "by", "tool", "days"),
  component: lazyRouteComponent(() => import("./usage/usage.tsx"), "Usage"),
});

const keys = createRoute({
  getParentRoute: () => rootRoute,
  path: "/settings/keys",
  component: lazyRouteComponent(() => import("./settings/keys.tsx"), "Keys"),
});

const agents = createRoute({
  getParentRoute: () => rootRoute,
  path: "/settings/agents",
  component: lazyRouteComponent(() => import("./settings/agents.tsx"), "Agents"),
});

const members = createRoute({
  getParentRoute: () => rootRoute,
  path: "/settings/members",
  component: lazyRouteComponent(() => import("./settings/members.tsx"), "Members"),
});

const sessions = createRoute({
  getParentRoute: () => rootRoute,
  path: "/settings/sessions",
  component: lazyRouteComponent(() => import("./settings/sessions.tsx"), "Sessions"),
});

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    home,
    more,
    approvals,
    trips,
    order,
    budget,
    runs,
    run,
    money,
    playground,
    channels,
    policy,
    sandbox,
    usage,
    keys,
    agents,
    members,
    sessions,
  ]),
  basepath: "/dashboard",
  defaultPreload: "intent",
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
