export { SignInLinks } from "./sign-in-links.ts";
