/**
 * The parts of JSON-RPC and MCP that the bridge must know: the messages that need an answer, and the headers that
 * follow from a message.
 */

const VERSION_KEY = "io.modelcontextprotocol/protocolVersion";

/** Where the value of the Mcp-Name header stands in the parameters of a method. */
const NAME_FIELDS = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"],
  ["tasks/get", "taskId"],
  ["tasks/update", "taskId"],
  ["tasks/cancel", "taskId"],
]);

/** @typedef {string | number} Id */
/** @typedef {Record<string, unknown>} Fields */

/**
 * @param {unknown} value
 * @returns {value is Fields}
 */
export function isFields(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * @param {unknown} value
 * @returns {value is Id}
 */
function isId(value) {
  return typeof value === "string" || typeof value === "number";
}

/**
 * Undefined for a text that is not JSON.
 *
 * @param {string} text
 * @returns {unknown}
 */
export function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * The ids of the requests in a message, which may be a batch.
 *
 * @param {unknown} message
 * @returns {Id[]}
 */
export function requestIds(message) {
  const parts = Array.isArray(message) ? message : [message];
  return parts.flatMap((part) => (isFields(part) && typeof part.method === "string" && isId(part.id) ? [part.id] : []));
}

/**
 * The ids that a message answers.
 *
 * @param {unknown} message
 * @returns {Id[]}
 */
export function answeredIds(message) {
  const parts = Array.isArray(message) ? message : [message];
  return parts.flatMap((part) => (isAnswer(part) && isId(part.id) ? [part.id] : []));
}

/**
 * @param {unknown} message
 * @returns {message is Fields}
 */
export function isAnswer(message) {
  return isFields(message) && message.jsonrpc === "2.0" && ("result" in message || "error" in message);
}

/**
 * The request that a message cancels.
 *
 * @param {unknown} message
 * @returns {Id | undefined}
 */
export function cancelledId(message) {
  if (!isFields(message) || message.method !== "notifications/cancelled" || !isFields(message.params)) return undefined;
  return isId(message.params.requestId) ? message.params.requestId : undefined;
}

/** @param {Id} requestId */
export function cancelledNotice(requestId) {
  return JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } });
}

/**
 * The protocol version that a message itself names: from 2026-07-28 on every request does.
 *
 * @param {unknown} message
 * @returns {string | undefined}
 */
export function ownVersion(message) {
  if (!isFields(message) || !isFields(message.params) || !isFields(message.params._meta)) return undefined;
  const version = message.params._meta[VERSION_KEY];
  return typeof version === "string" ? version : undefined;
}

/**
 * The version that an answer to `initialize` settles.
 *
 * @param {unknown} answer
 * @returns {string | undefined}
 */
export function agreedVersion(answer) {
  if (!isFields(answer) || !isFields(answer.result)) return undefined;
  const { protocolVersion } = answer.result;
  return typeof protocolVersion === "string" ? protocolVersion : undefined;
}

/**
 * The headers that repeat what a message of 2026-07-28 says.
 *
 * @param {unknown} message
 * @returns {Record<string, string>}
 */
export function buildHeaders(message) {
  const version = ownVersion(message);
  if (version === undefined || !isFields(message) || typeof message.method !== "string") return {};
  const field = NAME_FIELDS.get(message.method);
  const name = field !== undefined && isFields(message.params) ? message.params[field] : undefined;
  return {
    "mcp-protocol-version": headerText(version),
    "mcp-method": headerText(message.method),
    ...(typeof name === "string" ? { "mcp-name": headerText(name) } : {}),
  };
}

const PLAIN = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/;
const ENCODED = /^=\?base64\?.*\?=$/;

/**
 * Plain where a header can carry it, else base64 between the marks that the protocol defines.
 *
 * @param {string} text
 */
function headerText(text) {
  if (PLAIN.test(text) && !ENCODED.test(text)) return text;
  return `=?base64?${Buffer.from(text).toString("base64")}?=`;
}
