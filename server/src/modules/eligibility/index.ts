export { sayNotAdmitted } from "./not-admitted.ts";
