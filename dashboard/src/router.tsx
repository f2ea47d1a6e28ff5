import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import { Frame } from "./frame.tsx";
import { Home } from "./home/home.tsx";
import { keepSearch } from "./parts/search-state.ts";

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

const home = createRoute({ getParentRoute: () => rootRoute, path: "/", component: Home });

const more = createRoute({
  getParentRoute: () => rootRoute,
  path: "/more",
  component: lazyRouteComponent(() => import("./more.tsx"), "More"),
});

const approvals = createRoute({
  getParentRoute: () => rootRoute,
  path: "/approvals",
  validateSearch: keepSearch({ state: "text", id: "text" }),
  component: lazyRouteComponent(() => import("./approvals/approvals.tsx"), "Approvals"),
});

const trips = createRoute({
  getParentRoute: () => rootRoute,
  path: "/trips",
  validateSearch: keepSearch({ list: ["budgets"], status: ["confirmed", "held", "cancelled"] }),
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

const runs = createRoute({
  getParentRoute: () => rootRoute,
  path: "/runs",
  validateSearch: keepSearch({ status: ["running", "paused", "completed", "failed"] }),
  component: lazyRouteComponent(() => import("./runs/runs.tsx"), "Runs"),
});

const run = createRoute({
  getParentRoute: () => rootRoute,
  path: "/runs/$runId",
  validateSearch: keepSearch({ step: "text" }),
  component: lazyRouteComponent(() => import("./runs/run.tsx"), "Run"),
});

const money = createRoute({
  getParentRoute: () => rootRoute,
  path: "/money",
  validateSearch: keepSearch({ from: "text", to: "text" }),
  component: lazyRouteComponent(() => import("./money/money.tsx"), "Money"),
});

const playground = createRoute({
  getParentRoute: () => rootRoute,
  path: "/playground",
  validateSearch: keepSearch({ tool: "text", refused: "text" }),
  component: lazyRouteComponent(() => import("./playground/playground.tsx"), "Playground"),
});

const channels = createRoute({
  getParentRoute: () => rootRoute,
  path: "/channels",
  validateSearch: keepSearch({
    list: ["events", "places", "records"],
    channel: "text",
    state: "text",
    record: "text",
    endpoint: "text",
  }),
  component: lazyRouteComponent(() => import("./channels/channels.tsx"), "Channels"),
});

const policy = createRoute({
  getParentRoute: () => rootRoute,
  path: "/policy",
  validateSearch: keepSearch({ policy: "text", version: "text", form: "text" }),
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
  validateSearch: keepSearch({ call: "text", code: "text", by: "text", tool: "text", days: "text" }),
  component: lazyRouteComponent(() => import("./usage/usage.tsx"), "Usage"),
});

const reputation = createRoute({
  getParentRoute: () => rootRoute,
  path: "/reputation",
  validateSearch: keepSearch({ list: ["received", "validations"], open: "text" }),
  component: lazyRouteComponent(() => import("./reputation/reputation.tsx"), "Reputation"),
});

const audit = createRoute({
  getParentRoute: () => rootRoute,
  path: "/audit",
  validateSearch: keepSearch({
    who: ["person", "key", "operator", "service"],
    actor: "text",
    action: "text",
    subject: "text",
    text: "text",
    from: "text",
    to: "text",
    line: "text",
  }),
  component: lazyRouteComponent(() => import("./audit/audit.tsx"), "Audit"),
});

const tenants = createRoute({
  getParentRoute: () => rootRoute,
  path: "/tenants",
  validateSearch: keepSearch({ text: "text", tenant: "text" }),
  component: lazyRouteComponent(() => import("./tenants/tenants.tsx"), "Tenants"),
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
    reputation,
    audit,
    tenants,
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
