import { type DefineModule, defineAnyModule } from "../../kernel/contracts/module.ts";

type Needs = never;
type Seen = "files" | Needs;

export const defineModule: DefineModule<Seen> = defineAnyModule;
