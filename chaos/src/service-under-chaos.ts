// The service as chaos runs it: `service-under-chaos.ts [--break <guard>] [--deploy]`, as a child process that is told when to die.
import { parseArgs } from "node:util";
import type { Decorators } from "../../server/src/decorate.ts";
import { dieWhenNotified } from "./die-when-notified.ts";
import { withoutSource } from "./guards/sources.ts";
import { replaceSource } from "./replace-source.ts";

const { values } = parseArgs({ options: { break: { type: "string" }, deploy: { type: "boolean" } } });
const name = values.break ?? "";
const checkReplaced = replaceSource(withoutSource[name] ?? []);
// Loaded only now, as its source may have to be another one.
const { serve } = await import("../../server/src/main.ts");
const { withoutGuard } = await import("./guards/index.ts");
const { nextVersion } = await import("./guards/workflows.ts");

const replace = withoutGuard[name];
if (values.break !== undefined && replace === undefined && withoutSource[name] === undefined) {
  throw new Error(`--break is one of: ${Object.keys({ ...withoutGuard, ...withoutSource }).join(", ")}.`);
}
const broken = replace?.() ?? {};
const decorate: Decorators = { ...broken.decorate };
const workflows: NonNullable<Decorators["workflows"]> = (known) => {
  const released = values.deploy === true ? nextVersion(known) : known;
  return decorate.workflows?.(released) ?? released;
};
const news: NonNullable<Decorators["news"]> = (heard) => dieWhenNotified(decorate.news?.(heard) ?? heard);
await serve({ ...broken, decorate: { ...decorate, workflows, news } });
checkReplaced();
