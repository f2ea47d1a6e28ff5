import { defineModule } from "../../kernel/module.ts";
import { tripCheckinReminder } from "./tools/trip-checkin-reminder.ts";

/** Help around a trip that is put together from what other parts know. */
export const assistanceModule = defineModule({
  name: "assistance",
  tools: [tripCheckinReminder],
});
