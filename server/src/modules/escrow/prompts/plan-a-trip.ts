import { definePrompt } from "../../../kernel/contracts/prompt.ts";

export const planATrip = definePrompt({
  name: "plan-a-trip",
  title: "Plan a trip",
  description: "Compare flights and stays for a trip, within a budget; nothing is booked.",
  arguments: [
    { name: "origin", description: "Where the trip starts: a city, or an airport's name or code", required: true },
    { name: "destination", description: "Where the trip goes", required: true },
    { name: "dates", description: "When, in your own words, for example: the last weekend of May", required: true },
    { name: "travelers", description: "Number of people; default: one", required: false },
    { name: "budget", description: "The total budget, with the currency", required: false },
  ],
  render(argument, today) {
    const travelers = argument("travelers") ?? "one person";
    const budget = argument("budget");
    return `Plan a trip from ${argument("origin")} to ${argument("destination")} for ${travelers}. When: ${argument("dates")}. Today is ${today}.
${budget === undefined ? "" : `The total budget is ${budget}.\n`}
1. Turn the dates into calendar dates. If more than one reading is possible, ask me before you search.
2. If either end has no single obvious airport, use \`find_airports_nearby\` and take the codes from its answer.
3. Use \`search_flights\` with those codes and dates, including the return date if I come back. Search a day earlier or later only if the first answer is empty or over budget.
4. If I stay overnight, use \`search_hotels\` for the nights between arrival and departure at the destination.
5. For the flight you would choose, read \`display_offer_conditions\`: whether it can be changed or refunded, and what that costs.

Then show me at most three combinations in a table: flights with local times, stay, total per person and for everyone, and what can be cancelled. Say which one you would choose and why. Say how long each offer is valid. If an answer is marked as sandbox, say that it is a simulation.

Book nothing. When I choose one, ask me for an explicit yes to exactly that offer and price before any booking.`;
  },
});
