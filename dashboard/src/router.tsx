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

const home = createRoute({ getParentRoute: () => rootRoute, path: "/", component: Home });

const approvals = createRoute({
  getParentRoute: () => rootRoute,
  path: "/approvals",
  validateSearch: ({ state }: { state?: unknown }): { state?: string } =>
    typeof state === "string" && state !== "pending" ? { state } : {},
  component: lazyRouteComponent(() => import("./approvals/approvals.tsx"), "Approvals"),
});

const usage = createRoute({
  getParentRoute: () => rootRoute,
  path: "/usage",
  validateSearch: ({ call, code }: { call?: unknown; code?: unknown }): { call?: string; code?: string } => ({
    ...(typeof call === "string" ? { call } : {}),
    ...(typeof code === "string" ? { code } : {}),
  }),
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
  routeTree: rootRoute.addChildren([home, approvals, usage, keys, agents, members, sessions]),
  basepath: "/dashboard",
  defaultPreload: "intent",
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
