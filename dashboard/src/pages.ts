import { member } from "./boot.ts";

/** Every page, as the rail and the finder list them. On a phone the bar has room for those that are `first`. */
const ALL = [
  { to: "/", label: "Home", isExact: true, isFirst: true },
  { to: "/trips", label: "Trips", isExact: false, isFirst: true },
  { to: "/runs", label: "Runs", isExact: false, isFirst: false },
  { to: "/approvals", label: "Approvals", isExact: false, isFirst: true },
  { to: "/money", label: "Money", isExact: false, isFirst: true },
  { to: "/usage", label: "Usage", isExact: false, isFirst: false },
  { to: "/playground", label: "Playground", isExact: false, isFirst: false },
  { to: "/channels", label: "Channels", isExact: false, isFirst: false },
  { to: "/policy", label: "Policy", isExact: false, isFirst: false },
  { to: "/sandbox", label: "Sandbox", isExact: false, isFirst: false },
  { to: "/reputation", label: "Reputation", isExact: false, isFirst: false },
  { to: "/audit", label: "Audit log", isExact: false, isFirst: false },
  { to: "/tenants", label: "Tenants", isExact: false, isFirst: false },
  { to: "/settings/keys", label: "API keys", isExact: false, isFirst: false },
  { to: "/settings/agents", label: "Connected agents", isExact: false, isFirst: false },
  { to: "/settings/members", label: "Members", isExact: false, isFirst: false },
  { to: "/settings/sessions", label: "Sessions and passkeys", isExact: false, isFirst: false },
] as const;

/** Production has no simulators. */
export const PAGES = ALL.filter(({ to }) => to !== "/sandbox" || member.environment === "sandbox");
