import { type DefineModule, defineAnyModule } from "../../kernel/contracts/module.ts";

type Needs = "travelers";
type Seen = "trips" | Needs;

export const defineModule: DefineModule<Seen> = defineAnyModule;
