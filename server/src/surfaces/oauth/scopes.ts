import {
  EVERYTHING,
  hasScope,
  knownScopes,
  personalScopes,
  type ToolArea,
  toolAreas,
  toolEffects,
} from "../../domain/scopes.ts";

/** Every scope that an agent may ask for. */
export const agentScopes: readonly string[] = knownScopes.filter((scope) => !personalScopes.includes(scope));

/**
 * The scopes of a request, of which a person chooses: what is unknown does not count, and a client that asks for nothing, or for
 * everything, leaves the choice to the person.
 */
export function readAskedScopes(asked: string | null): readonly string[] {
  const known = (asked ?? "").split(" ").filter((scope) => agentScopes.includes(scope));
  return known.length === 0 || known.includes(EVERYTHING) ? agentScopes : known;
}

/** Those of the asked scopes that the person has. */
export function listGrantable(asked: readonly string[], own: readonly string[]): readonly string[] {
  return asked.filter((scope) => hasScope(own, scope));
}

const AREAS: Readonly<Record<ToolArea, string>> = {
  flights: "Flights: search; hold and change travelers; book and pay",
  stays: "Stays: search; quote; book and pay",
  treasury: "Treasury: balances; addresses; send and swap money",
  escrow: "Escrow: budgets of trips; accept for guests; set money aside and settle",
  policy: "Policies: check; write pricing",
  reputation: "Reputation: ratings; rate agents",
  trip: "Trips: places, weather, safety and maps",
  documents: "Documents: read passports and receipts",
  account: "Account: read it, and preview calls",
  travelers: "Travelers: profiles with passports; change them",
  usage: "Usage: calls and their cost",
  workflows: "Workflows: read runs; start and resume them; start those that pay",
  approvals: "Approvals: read what waits for a decision",
  conversations: "Conversations: read them; speak for travelers",
  events: "Events: read what happened",
};

const EFFECTS = {
  read: "looks and changes nothing",
  write: "changes records, moves no money",
  spend: "moves money",
} as const;

export interface ScopeGroup {
  title: string;
  scopes: readonly { scope: string; says: string }[];
}

/** These scopes by area, with what each allows in words. */
export function groupScopes(scopes: readonly string[]): readonly ScopeGroup[] {
  return toolAreas.flatMap((area) => {
    const shown = toolEffects
      .map((effect) => ({ scope: `${area}:${effect}`, says: EFFECTS[effect] }))
      .filter(({ scope }) => scopes.includes(scope));
    return shown.length === 0 ? [] : [{ title: AREAS[area], scopes: shown }];
  });
}
