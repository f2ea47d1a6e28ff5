export { buildTripGuestLink, type GuestLink, readGuestLink } from "./guest-link.ts";
export { sendGuestMail, storeGuestMail } from "./guest-mail.ts";
export { composeGuestMail } from "./guest-mail-text.ts";
export { allowedOrigin } from "./link-origins.ts";
