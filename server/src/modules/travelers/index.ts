export { ERASED_NAME } from "./forget-person.ts";
export { findOwnCredit, findOwnCustomer } from "./own-records.ts";
export type { Passport, TravelerProfile, Travelers } from "./traveler-profile.ts";
