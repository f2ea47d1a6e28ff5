import { defineModule } from "./context.ts";
import { MapRenderer } from "./drawing/map-renderer.ts";
import { exportRouteMap } from "./tools/export-route-map.ts";

declare module "../../kernel/contracts/parts.ts" {
  interface ModuleParts {
    /** One per process, shared by all environments. */
    readonly "maps.mapRenderer": MapRenderer;
  }
}

declare module "../../kernel/contracts/tool.ts" {
  interface ModulePorts {
    "maps.mapRenderer": Pick<MapRenderer, "render">;
  }
}

export const mapsModule = defineModule({
  name: "maps",
  tools: [exportRouteMap],
  parts: { mapRenderer: () => new MapRenderer() },
  ports: ({ mapRenderer }) => ({ mapRenderer }),
  stop: ({ mapRenderer }) => mapRenderer.close(),
});
