export type {
  ClientCode,
  Issue,
  Outcome,
  Payment,
  Problem,
  ReceivedFile,
  Refusal,
  RouteOptions,
  Success,
  ToolOptions,
} from "./answers.ts";
export { ServiceError, unwrap } from "./answers.ts";
export type { Client, ClientOptions, PaidClientOptions } from "./client.ts";
export { createClient, createPaidClient } from "./client.ts";
export type { FollowOptions, TurnOptions } from "./conversations.ts";
export type * from "./generated/conversation.ts";
export type { KnownEvent } from "./generated/events.ts";
export type * from "./generated/routes.ts";
export type * from "./generated/tools.ts";
export { items, pages } from "./pages.ts";
export type { SignedAnswer, VerificationOptions } from "./signature.ts";
export { isGenuine } from "./signature.ts";
export type { Fetch, Retries } from "./transport.ts";
