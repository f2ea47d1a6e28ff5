/** Every page, as the rail and the finder list them. */
export const PAGES = [
  { to: "/", label: "Home", isExact: true },
  { to: "/approvals", label: "Approvals", isExact: false },
  { to: "/usage", label: "Usage", isExact: false },
  { to: "/settings/keys", label: "API keys", isExact: false },
  { to: "/settings/agents", label: "Connected agents", isExact: false },
  { to: "/settings/members", label: "Members", isExact: false },
  { to: "/settings/sessions", label: "Sessions and passkeys", isExact: false },
] as const;
