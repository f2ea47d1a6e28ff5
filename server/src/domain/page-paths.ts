/** Pages for people, in text: the trip's id follows. */
export const CLAIM_PATH = "/claim";
/** The ids of the approval and of the person follow. */
export const APPROVE_PATH = "/approve";
