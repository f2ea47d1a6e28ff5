import { Hono } from "hono";
import { pickWhole } from "../hash.ts";
import type { Env, Router } from "../sandbox.ts";

/** Placeholder pictures: coloured SVG that says what it is, so that nobody takes it for a real hotel. */
export function photoRoutes(): Router {
  const routes = new Hono<Env>({ strict: false });
  routes.get("/photos/:accommodation/:file", (context) => {
    const number = /^(\d{1,2})\.svg$/u.exec(context.req.param("file"))?.[1];
    if (number === undefined) return context.notFound();
    const hue = pickWhole(0, 359, "photo", context.req.param("accommodation"), number);
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 500" role="img" aria-label="Placeholder picture">
<rect width="800" height="500" fill="hsl(${hue} 45% 72%)"/><rect y="330" width="800" height="170" fill="hsl(${hue} 30% 45%)"/>
<rect x="260" y="150" width="280" height="220" fill="hsl(${(hue + 40) % 360} 35% 88%)"/>
<text x="400" y="450" font-family="sans-serif" font-size="28" text-anchor="middle" fill="white">Sandbox picture ${number}</text></svg>`;
    return context.body(svg, 200, { "content-type": "image/svg+xml", "cache-control": "public, max-age=86400" });
  });
  return routes;
}
