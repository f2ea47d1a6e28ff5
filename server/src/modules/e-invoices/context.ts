import { type DefineModule, defineAnyModule } from "../../kernel/contracts/module.ts";

type Needs = "invoices";
type Seen = "e-invoices" | Needs;

export const defineModule: DefineModule<Seen> = defineAnyModule;
