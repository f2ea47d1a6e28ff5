import { defineModule } from "../../kernel/module.ts";
import { MapRenderer } from "./drawing/map-renderer.ts";
import { exportRouteMap } from "./tools/export-route-map.ts";

declare module "../../kernel/parts.ts" {
  interface Parts {
    /** One for the process, however many environments ask it. */
    readonly mapRenderer: MapRenderer;
  }
}

declare module "../../kernel/tool.ts" {
  interface Ports {
    mapRenderer: Pick<MapRenderer, "render">;
  }
}

export const mapsModule = defineModule({
  name: "maps",
  tools: [exportRouteMap],
  parts: { mapRenderer: () => new MapRenderer() },
  ports: ({ mapRenderer }) => ({ mapRenderer }),
  stop: ({ mapRenderer }) => mapRenderer.close(),
});
