/** Each action as the part of a sentence between who did it and the record's name. */
const SAID: Readonly<Record<string, string>> = {
  "approval.decide": "decided an approval",
  "approval.request": "asked for an approval",
  "approval.withdraw": "withdrew a request for approval",
  "budget.put": "set the budget",
  "channel.add": "added a channel",
  "channel.change": "changed a channel",
  "channel.install": "installed a channel",
  "channel.off": "switched a channel off",
  "channel.remove": "removed a channel",
  "event_endpoint.add": "added an event endpoint",
  "event_endpoint.change": "changed an event endpoint",
  "event_endpoint.remove": "removed an event endpoint",
  "escrow.allow": "allowed an escrow contract",
  "escrow.revoke": "revoked an escrow contract",
  "grant.allow": "connected an agent",
  "internal_token.bind": "let an internal token act for the tenant",
  "internal_token.unbind": "ended an internal token’s access",
  "invoicing.write": "changed the invoicing settings",
  "key.limits": "changed the limits of the key",
  "key.mint": "made the key",
  "key.revoke": "revoked the key",
  "key.rotate": "rotated the key",
  "person.add": "added the member",
  "person.remove": "removed the member",
  "person.roles": "changed the roles of",
  "pricing_policy.activate": "activated prices",
  "run.decide": "answered a run",
  "session.begin": "signed in",
  "session.end": "signed out",
  "signing_secret.reveal": "read the signing secret",
  "signing_secret.rotate": "rotated the signing secret",
  "tenant.create": "created a tenant",
  "tenant.limits": "changed the tenant’s limits",
  "tenant.link_origins": "changed where guest links lead",
  "tenant.set": "changed the tenant",
  "travel_policy.enforce": "changed the enforced policy",
  "travel_policy.put": "wrote a policy",
  "traveler.erase": "erased a traveler",
  "traveler.put": "saved the traveler",
};

export function sayAction(action: string): string {
  const said = SAID[action];
  if (said !== undefined) return said;
  const [about = "", done = ""] = action.split(".");
  return `${about.replaceAll("_", " ")}: ${done.replaceAll("_", " ")}`;
}

/** The groups of actions that a list can be narrowed to. */
export const ACTIONS = [
  ["", "Everything"],
  ["session", "Sign-ins"],
  ["key", "API keys"],
  ["person", "Members"],
  ["grant", "Connected agents"],
  ["approval", "Approvals"],
  ["travel_policy", "Policies"],
  ["budget", "Budgets"],
  ["pricing_policy", "Prices"],
  ["traveler", "Travelers"],
  ["run", "Runs"],
  ["channel", "Channels"],
  ["event_endpoint", "Event endpoints"],
  ["invoicing", "Invoicing"],
  ["tenant", "Tenant"],
  ["signing_secret", "Signing secret"],
] as const;
