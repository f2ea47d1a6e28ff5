// The development chain without the guard `chain-log`: a transaction is acknowledged before it is in the log.
import { runDevnet } from "../../../devnet/src/run.ts";
import { openLateLog } from "./late-log.ts";

await runDevnet(process.argv.slice(2), { openLog: openLateLog });
