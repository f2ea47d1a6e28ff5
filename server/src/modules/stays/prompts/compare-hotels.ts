import { definePrompt } from "../../../kernel/contracts/prompt.ts";

export const compareHotels = definePrompt({
  name: "compare-hotels",
  title: "Compare hotels",
  description: "Compare the hotels at a place for given nights.",
  arguments: [
    { name: "location", description: "City, neighborhood or airport code", required: true },
    { name: "checkInDate", description: "First night, YYYY-MM-DD", required: true },
    { name: "checkOutDate", description: "Check-out day, YYYY-MM-DD", required: true },
    { name: "guests", description: "Number of people; default: one", required: false },
    {
      name: "priorities",
      description: "What matters to you, for example: quiet, near the station, under 200 a night",
      required: false,
    },
  ],
  render(argument, today) {
    const priorities = argument("priorities");
    return `Compare hotels in ${argument("location")} from ${argument("checkInDate")} to ${argument("checkOutDate")} for ${argument("guests") ?? "one"} guest(s). Today is ${today}.
${priorities === undefined ? "" : `What matters to me: ${priorities}.\n`}
Use \`search_hotels\` once. Show every stay that it returns in one table: name, stars, review score, price per night and in total, and until when it can be cancelled free of charge. Sort it by what matters to me, otherwise by price.

Below the table, name the one you would choose and the cheapest one, with one reason each. If the answer does not cover one of my wishes, say so instead of guessing. If the answer is marked as sandbox, say that the hotels are invented.

Book nothing; a booking needs my explicit yes to one stay and its total price.`;
  },
});
