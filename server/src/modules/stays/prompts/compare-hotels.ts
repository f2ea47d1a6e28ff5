import { definePrompt } from "../../../kernel/contracts/prompt.ts";

export const compareHotels = definePrompt({
  name: "compare-hotels",
  title: "Compare hotels",
  description: "Put the stays at a place side by side for given nights.",
  arguments: [
    { name: "location", description: "City, neighbourhood or airport code", required: true },
    { name: "checkInDate", description: "First night, YYYY-MM-DD", required: true },
    { name: "checkOutDate", description: "Day of departure, YYYY-MM-DD", required: true },
    { name: "guests", description: "How many people; one unless given", required: false },
    {
      name: "priorities",
      description: "What matters, for example: quiet, near the station, under 200 a night",
      required: false,
    },
  ],
  render(argument, today) {
    const priorities = argument("priorities");
    return `Compare hotels in ${argument("location")} from ${argument("checkInDate")} to ${argument("checkOutDate")} for ${argument("guests") ?? "one"} guest(s). Today is ${today}.
${priorities === undefined ? "" : `What matters to me: ${priorities}.\n`}
Use \`search_hotels\` once. Show every stay that it returns in one table: name, stars, review score, price per night and in total, and until when it can be cancelled without cost. Order it by what matters to me, else by price.

Below the table, name the one you would take and the one that is cheapest, with one reason each, and say what the answer does not tell about my wishes instead of guessing. If the answer is marked as sandbox, say that the hotels are invented.

Book nothing; a booking needs my explicit yes to one stay and its total price.`;
  },
});
