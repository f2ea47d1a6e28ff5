import type { Workflow } from "../kernel/workflow.ts";
import { bookFlight } from "./book-flight.ts";

/** Every workflow that can be run. */
export const workflows: readonly Workflow[] = [bookFlight];
