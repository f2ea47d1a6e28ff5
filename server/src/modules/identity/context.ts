import { type DefineModule, defineAnyModule } from "../../kernel/contracts/module.ts";

type Needs = never;
type Seen = "identity" | Needs;

export const defineModule: DefineModule<Seen> = defineAnyModule;
