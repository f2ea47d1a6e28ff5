import { ConfirmationGate } from "./confirmation-gate.ts";
import { defineModule } from "./context.ts";

/** Listed after the modules whose gates refuse calls: nobody is asked about a call that is refused anyway. */
export const confirmationsModule = defineModule({
  name: "confirmations",
  gates: ({ stores, fx }) => [new ConfirmationGate({ stores, fx })],
});
