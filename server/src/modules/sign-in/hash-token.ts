import { hash } from "node:crypto";

/** Tokens have 256 random bits, so that a plain hash cannot be searched. */
export const hashToken = (token: string): string => hash("sha256", token, "base64url");
