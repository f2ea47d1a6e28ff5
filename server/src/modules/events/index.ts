export { newSecret, signEvent } from "./sign-event.ts";
