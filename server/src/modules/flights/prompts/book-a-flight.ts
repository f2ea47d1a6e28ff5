import { definePrompt } from "../../../kernel/contracts/prompt.ts";

export const bookAFlight = definePrompt({
  name: "book-a-flight",
  title: "Book a flight",
  description: "Find a flight, show it with its conditions, and book it after an explicit yes.",
  arguments: [
    { name: "origin", description: "Airport or city, or its IATA code", required: true },
    { name: "destination", description: "Airport or city, or its IATA code", required: true },
    { name: "departureDate", description: "Day of departure, YYYY-MM-DD", required: true },
    { name: "returnDate", description: "Day of return, YYYY-MM-DD; one way without it", required: false },
    {
      name: "preferences",
      description: "What matters to you, for example: non-stop, not before 9 in the morning",
      required: false,
    },
  ],
  render(argument, today) {
    const returnDate = argument("returnDate");
    const preferences = argument("preferences");
    return `Book a flight from ${argument("origin")} to ${argument("destination")} on ${argument("departureDate")}${returnDate === undefined ? ", one way" : `, returning on ${returnDate}`}. Today is ${today}.
${preferences === undefined ? "" : `What matters to me: ${preferences}.\n`}
1. Get the codes of both ends; use \`find_airports_nearby\` where a name fits more than one airport.
2. Use \`search_flights\`. If nothing matches, tell me what comes closest and stop.
3. Read \`display_offer_conditions\` of the best offer.
4. Show me that offer: airline, flight numbers, local times, stops, total price, what a change or a cancellation costs, and how long the offer is valid. Ask: "Shall I book exactly this?"
5. Only after an explicit yes to exactly that offer, use \`book_flight\` with its offer id, once. A yes to an earlier offer or to another price does not count: if the offer has expired or its price has changed, search again and ask again.
6. If the booking lacks details of a traveler, tell me which fields are missing; do not invent any.
7. If the answer says that the outcome is not known yet, call \`book_flight\` again with the same offer id: it returns the first booking and books nothing twice.

At the end give me the record locator, the order id, what was paid, and whether the ticket is issued or still pending. If the booking is marked as sandbox, say that it is a simulation.`;
  },
});
