import { isFields, parseJson } from "./messages.mjs";

/** The bridge's own errors, apart from the codes that MCP and its libraries use. */
const BRIDGE_ERROR = -32080;

/**
 * A request that got no answer from the server, in words for whoever reads the client's error.
 *
 * @typedef {{ reason: "unreachable" | "interrupted" | "unauthorized" | "refused" | "not_mcp", message: string, data?: Record<string, unknown> }} Trouble
 */

/**
 * @param {import("./messages.mjs").Id | null} id
 * @param {Trouble} trouble
 */
export function errorAnswer(id, { reason, message, data }) {
  return JSON.stringify({ jsonrpc: "2.0", id, error: { code: BRIDGE_ERROR, message, data: { reason, ...data } } });
}

/** For a line that is not JSON. */
export function parseErrorAnswer() {
  return JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32700, message: "Parse error: not JSON." } });
}

/** Errors before anything was sent. */
const NEVER_ARRIVED = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"]);

/**
 * @param {unknown} error
 * @param {string} place
 * @returns {Trouble}
 */
export function connectionTrouble(error, place) {
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
  if (NEVER_ARRIVED.has(code)) {
    const message = `No server answers at ${place} (${code}). Start it, or correct the URL; nothing was sent.`;
    return { reason: "unreachable", message, data: { code, retryable: true } };
  }
  return interrupted(place, code);
}

/**
 * @param {string} place
 * @param {string} code
 * @returns {Trouble}
 */
export function interrupted(place, code) {
  const message = `The connection to ${place} ended before the answer (${code}). The request may have been carried out: check before you repeat it, or repeat it with the same idempotency key.`;
  return { reason: "interrupted", message, data: { code } };
}

/**
 * An HTTP answer that is no message of the protocol.
 *
 * @param {{ status: number, type: string, body: string, location: string | undefined }} answer
 * @param {string} place
 * @returns {Trouble}
 */
export function httpTrouble({ status, type, body, location }, place) {
  const problem = type.includes("json") ? parseJson(body) : undefined;
  if (isFields(problem) && typeof problem.code === "string") {
    const { code, retryable, traceId } = problem;
    const detail = typeof problem.detail === "string" ? ` ${problem.detail}` : "";
    const reason = status === 401 ? "unauthorized" : "refused";
    return {
      reason,
      message: `${place} answered ${status} ${code}.${detail}`,
      data: { status, code, retryable, traceId },
    };
  }
  if (status === 401) {
    const message = `${place} refuses the key (401). Set WAYFARE_API_KEY or --key-file to a valid one.`;
    return { reason: "unauthorized", message, data: { status } };
  }
  const target = location === undefined ? "" : ` and points to ${withoutQuery(location)}`;
  const message = `${place} is not an MCP endpoint: it answered ${status}${target}. Correct WAYFARE_URL or --url; it ends in /api/mcp.`;
  return { reason: "not_mcp", message, data: { status } };
}

/** @param {string} location */
function withoutQuery(location) {
  return location.split(/[?#]/, 1)[0];
}
