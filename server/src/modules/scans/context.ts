import { type DefineModule, defineAnyModule } from "../../kernel/contracts/module.ts";

type Needs = never;
type Seen = "scans" | Needs;

export const defineModule: DefineModule<Seen> = defineAnyModule;
