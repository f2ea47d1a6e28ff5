const AREAS = {
  flights: "Search flights; hold them and change travelers; book and pay",
  stays: "Search stays; quote them; book and pay",
  treasury: "Read balances; make addresses; send and swap money",
  escrow: "Read trips' budgets; accept for guests; set money aside and settle",
  policy: "Check policies; write pricing",
  reputation: "Read ratings; rate agents",
  trip: "Places, weather, safety and maps",
  documents: "Read passports and receipts",
  account: "Read the account and preview calls",
  travelers: "Read profiles with passports; change them",
  usage: "Read calls and their cost",
  workflows: "Read runs; start and resume them; start those that pay",
  approvals: "Read what waits for a decision",
  conversations: "Read conversations; speak for travelers",
  events: "Read what happened",
} as const;

const EFFECTS = [
  { effect: "read", says: "looks and changes nothing" },
  { effect: "write", says: "changes records, moves no money" },
  { effect: "spend", says: "moves money" },
] as const;

/** Every scope of an agent, by area, with what it allows in words. */
export const SCOPE_GROUPS = Object.entries(AREAS).map(([area, words]) => ({
  area: `${area.charAt(0).toUpperCase()}${area.slice(1)}: ${words}`,
  scopes: EFFECTS.map(({ effect, says }) => ({ scope: `${area}:${effect}`, says })),
}));
