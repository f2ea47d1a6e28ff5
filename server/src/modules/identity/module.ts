import { defineModule } from "../../kernel/module.ts";
import * as identity from "./migrations/0001-identity.ts";

export const identityModule = defineModule({
  name: "identity",
  migrations: { "0001-identity": identity },
});
