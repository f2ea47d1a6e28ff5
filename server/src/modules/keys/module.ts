import { defineModule } from "./context.ts";
import { keyRoutes } from "./routes.ts";

/** A tenant's API keys, for people who administer them. */
export const keysModule = defineModule({ name: "keys", routes: keyRoutes });
