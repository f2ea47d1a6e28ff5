// The service without a guard, or as a later release has it: `broken-service.ts [--break <guard>] [--deploy]`.
import { parseArgs } from "node:util";
import type { Decorators } from "../../server/src/decorate.ts";
import { serve } from "../../server/src/main.ts";
import { withoutGuard } from "./guards/index.ts";
import { nextVersion } from "./guards/workflows.ts";

const { values } = parseArgs({ options: { break: { type: "string" }, deploy: { type: "boolean" } } });
const replace = values.break === undefined ? undefined : withoutGuard[values.break];
if (values.break !== undefined && replace === undefined) {
  throw new Error(`--break is one of: ${Object.keys(withoutGuard).join(", ")}.`);
}
const broken = replace?.() ?? {};
const decorate: Decorators = { ...broken.decorate };
const workflows: NonNullable<Decorators["workflows"]> = (known) => {
  const released = values.deploy === true ? nextVersion(known) : known;
  return decorate.workflows?.(released) ?? released;
};
await serve({ ...broken, decorate: { ...decorate, workflows } });
