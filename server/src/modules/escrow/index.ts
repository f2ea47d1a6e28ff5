export { bookingErrors, stepErrors, tripStateErrors } from "./errors.ts";
