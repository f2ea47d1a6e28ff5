import { type DefineModule, defineAnyModule } from "../../kernel/contracts/module.ts";

type Needs = "identity";
type Seen = "ledger" | Needs;

export const defineModule: DefineModule<Seen> = defineAnyModule;
