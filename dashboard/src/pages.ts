import { member } from "./boot.ts";

/** Every page, as the rail and the finder list them. On a phone the bar has room for those that are `first`. */
const ALL = [
  { to: "/", label: "Home", group: "", isExact: true, isFirst: true },
  { to: "/trips", label: "Trips", group: "", isExact: false, isFirst: true },
  { to: "/approvals", label: "Approvals", group: "", isExact: false, isFirst: true },
  { to: "/money", label: "Money", group: "", isExact: false, isFirst: true },
  { to: "/playground", label: "Playground", group: "Build", isExact: false, isFirst: false },
  { to: "/settings/keys", label: "API keys", group: "Build", isExact: false, isFirst: false },
  { to: "/settings/agents", label: "Connected agents", group: "Build", isExact: false, isFirst: false },
  { to: "/channels", label: "Channels", group: "Build", isExact: false, isFirst: false },
  { to: "/sandbox", label: "Sandbox", group: "Build", isExact: false, isFirst: false },
  { to: "/usage", label: "Usage", group: "Activity", isExact: false, isFirst: false },
  { to: "/runs", label: "Runs", group: "Activity", isExact: false, isFirst: false },
  { to: "/audit", label: "Audit log", group: "Activity", isExact: false, isFirst: false },
  { to: "/reputation", label: "Reputation", group: "Activity", isExact: false, isFirst: false },
  { to: "/policy", label: "Policy", group: "Settings", isExact: false, isFirst: false },
  { to: "/settings/members", label: "Members", group: "Settings", isExact: false, isFirst: false },
  { to: "/tenants", label: "Tenants", group: "Settings", isExact: false, isFirst: false },
  { to: "/settings/sessions", label: "Sessions and passkeys", group: "Settings", isExact: false, isFirst: false },
] as const;

/** Production has no simulators. */
export const PAGES = ALL.filter(({ to }) => to !== "/sandbox" || member.environment === "sandbox");
