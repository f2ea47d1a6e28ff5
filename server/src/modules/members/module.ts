import { defineModule } from "./context.ts";
import { Invitations } from "./invitations.ts";
import { memberRoutes } from "./routes.ts";

declare module "../../kernel/contracts/parts.ts" {
  interface ModuleParts {
    readonly "members.memberInvitations": Invitations;
  }
}

/** A tenant's people, for those of them who administer. */
export const membersModule = defineModule({
  name: "members",
  routes: memberRoutes,
  parts: { memberInvitations: (parts) => new Invitations(parts) },
});
