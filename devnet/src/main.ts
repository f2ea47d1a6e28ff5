import { runDevnet } from "./run.ts";

await runDevnet(process.argv.slice(2));
