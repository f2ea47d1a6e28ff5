import { type DefineModule, defineAnyModule } from "../../kernel/contracts/module.ts";
import type { PartsOf } from "../../kernel/contracts/parts.ts";
import type { StoresOf } from "../../kernel/contracts/stores.ts";

type Needs =
  | "approvals"
  | "bookings"
  | "conversations"
  | "files"
  | "identity"
  | "invitations"
  | "orders"
  | "outbox"
  | "sign-in"
  | "travelers"
  | "trips";
type Seen = "channels" | Needs;

export const defineModule: DefineModule<Seen> = defineAnyModule;
export type Stores = StoresOf<Seen>;
export type Parts = PartsOf<Seen>;
