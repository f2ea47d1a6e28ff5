// The service without a guard: `broken-service.ts --break <guard>`.
import { parseArgs } from "node:util";
import { serve } from "../../server/src/main.ts";
import { withoutGuard } from "./guards/index.ts";

const { values } = parseArgs({ options: { break: { type: "string" } } });
const replaced = withoutGuard[values.break ?? ""];
if (replaced === undefined) throw new Error(`--break is one of: ${Object.keys(withoutGuard).join(", ")}.`);
await serve(replaced());
