import { Hono } from "hono";
import type { Env, Router, Sandbox } from "../sandbox.ts";

export function stayRoutes(_sandbox: Sandbox): Router {
  return new Hono<Env>({ strict: false });
}
