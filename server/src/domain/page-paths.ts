/** Pages for people, in text: the trip's id follows. */
export const CLAIM_PATH = "/claim";
/** The ids of the approval and of the person follow. */
export const APPROVE_PATH = "/approve";
/** A person answers a question that came by mail. */
export const ANSWER_PATH = "/answer";
/** A person ends notices of a kind. */
export const UNSUBSCRIBE_PATH = "/unsubscribe";
/** The dashboard, with all that is below it. */
export const DASHBOARD_PATH = "/dashboard";
/** People sign in here. */
export const SIGN_IN_PATH = "/sign-in";
/** The token of a link follows. */
export const SIGN_IN_LINK_PATH = "/sign-in/link";
