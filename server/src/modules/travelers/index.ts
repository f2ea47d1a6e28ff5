export { maskNumbers, missingForFlights } from "./describe-traveler.ts";
export { ERASED_NAME } from "./forget-person.ts";
export {
  chooseLead,
  customerErrors,
  customerNotFound,
  findOwnCredit,
  findOwnCustomer,
  findOwnTraveler,
  travelerErrors,
} from "./own-records.ts";
export { birthProblem, profileFields } from "./profile-schema.ts";
export { keepUsers } from "./store-records.ts";
export type { Passport, TravelerProfile, Travelers } from "./traveler-profile.ts";
