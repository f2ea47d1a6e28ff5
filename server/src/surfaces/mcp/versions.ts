/** Revisions without a handshake: every request names its revision. */
export const MODERN_VERSION = "2026-07-28";

/** Revisions with a handshake, newest first; none needs a session here. */
export const LEGACY_VERSIONS: readonly string[] = ["2025-11-25", "2025-06-18", "2025-03-26"];

/** The version that the service reports. */
export const SERVICE_VERSION = "1.0.0";

export const SUPPORTED_VERSIONS: readonly string[] = [MODERN_VERSION, ...LEGACY_VERSIONS];
