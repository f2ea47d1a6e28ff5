import type { Browser } from "../../ports/sign-in.ts";
import type { HttpRequest } from "../http/http.ts";

/** Where a sign-in may lead to: pages of the dashboard, and the page that connects an agent. */
const NEXT = /^\/(?:dashboard|oauth\/consent)(?:\/[\w.~%@:,+-]+)*\/?(?:\?[\w.~%@:,+=&/-]*)?$/;

/** Undefined: somewhere else, which a sign-in never leads to. */
export const readNextPath = (next: string): string | undefined => (NEXT.test(next) ? next : undefined);

export const readBrowser = (request: HttpRequest): Browser => ({
  name: request.header("user-agent") ?? "",
  address: request.remoteAddress,
});
