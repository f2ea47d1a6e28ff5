/** Where nobody listens: one that was free a moment ago can be anybody's. */
export const DEAD_PORT = 9;
