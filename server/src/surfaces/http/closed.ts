/** Why a process that lives does not serve. */
export type ClosedReason = "starting" | "draining";

export const closedDetail: Readonly<Record<ClosedReason, string>> = {
  starting: "The service is starting. Send again shortly.",
  draining: "The service is stopping. Send again shortly.",
};
