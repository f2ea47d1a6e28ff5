import { Agent as HttpAgent, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import {
  agreedVersion,
  answeredIds,
  buildHeaders,
  cancelledId,
  cancelledNotice,
  isAnswer,
  isFields,
  ownVersion,
  parseJson,
  requestIds,
} from "./messages.mjs";
import { readEvents } from "./split-lines.mjs";
import { connectionTrouble, errorAnswer, httpTrouble, interrupted, parseErrorAnswer } from "./trouble.mjs";

/** @typedef {import("./messages.mjs").Id} Id */
/**
 * `subscribes`: its stream ends only when one side wants it to; `streaming`: the server has begun with it.
 *
 * @typedef {{ abort: AbortController, modern: boolean, ids: Set<Id>, subscribes: boolean, streaming: boolean }} Exchange
 */

/** @type {{ version: string | undefined, id: string | undefined }} */
const nothingAgreed = { version: undefined, id: undefined };

/**
 * Carries JSON-RPC lines to an HTTP MCP server and its answers back. It knows nothing of tools and keeps nothing but what
 * the client and the server agreed on: each line is one POST, many at once.
 */
export class Bridge {
  #url;
  #apiKey;
  #write;
  #send;
  #agent;
  #place;
  /** @type {Set<Exchange>} */
  #open = new Set();
  /** Initialize era: the result of the handshake. */
  #session = { ...nothingAgreed };

  /** @param {{ url: URL, apiKey: string | undefined, write(line: string): void }} options */
  constructor({ url, apiKey, write }) {
    const secure = url.protocol === "https:";
    this.#url = url;
    this.#apiKey = apiKey;
    this.#write = write;
    this.#send = secure ? httpsRequest : httpRequest;
    this.#agent = secure ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });
    this.#place = `${url.origin}${url.pathname}`;
  }

  /**
   * Resolves when the line has been dealt with; never rejects.
   *
   * @param {string} line
   */
  async forward(line) {
    const message = parseJson(line);
    if (message === undefined) return this.#write(parseErrorAnswer());
    const cancelled = cancelledId(message);
    // From 2026-07-28 on closing the connection is the whole cancellation over HTTP.
    if (cancelled !== undefined && this.#cancel(cancelled)?.modern) return;
    const method = isFields(message) ? message.method : undefined;
    const exchange = {
      abort: new AbortController(),
      modern: ownVersion(message) !== undefined,
      ids: new Set(requestIds(message)),
      subscribes: method === "subscriptions/listen",
      streaming: false,
    };
    this.#open.add(exchange);
    /** @type {import("./trouble.mjs").Trouble | undefined} */
    let trouble;
    try {
      const response = await this.#post(line, message, exchange.abort.signal);
      trouble = await this.#carryBack(response, exchange, method === "initialize");
    } catch (error) {
      trouble = connectionTrouble(error, this.#place);
    } finally {
      this.#open.delete(exchange);
    }
    for (const id of exchange.ids) {
      // A subscription has no answer: over stdio its end is said like this.
      if (exchange.subscribes && exchange.streaming) this.#write(cancelledNotice(id));
      else this.#write(errorAnswer(id, trouble ?? interrupted(this.#place, "no answer")));
    }
  }

  /** The client has gone: subscriptions, which would never end by themselves, end now. */
  endSubscriptions() {
    for (const { subscribes, ids, abort } of this.#open) {
      if (!subscribes) continue;
      ids.clear();
      abort.abort();
    }
  }

  /** @param {unknown} message */
  #requestHeaders(message) {
    const own = buildHeaders(message);
    const starts = isFields(message) && message.method === "initialize";
    const agreed = starts || "mcp-protocol-version" in own ? nothingAgreed : this.#session;
    return {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(this.#apiKey === undefined ? {} : { authorization: `Bearer ${this.#apiKey}` }),
      ...(agreed.version === undefined ? {} : { "mcp-protocol-version": agreed.version }),
      ...(agreed.id === undefined ? {} : { "mcp-session-id": agreed.id }),
      ...own,
    };
  }

  /**
   * @param {string} line
   * @param {unknown} message
   * @param {AbortSignal} signal
   * @returns {Promise<import("node:http").IncomingMessage>}
   */
  #post(line, message, signal) {
    return new Promise((resolve, reject) => {
      const headers = { ...this.#requestHeaders(message), "content-length": Buffer.byteLength(line) };
      const request = this.#send(this.#url, { method: "POST", headers, agent: this.#agent, signal }, resolve);
      request.on("error", reject);
      request.end(line);
    });
  }

  /**
   * Hands a message of the server to the client, on one line: what breaks a line in JSON is only space between its parts.
   *
   * @param {string} text
   * @param {Exchange} exchange
   * @returns {boolean} whether it was a message
   */
  #deliver(text, exchange) {
    const message = parseJson(text);
    if (typeof message !== "object" || message === null) return false;
    const [only] = exchange.ids;
    // An error that the server could not tie to a request belongs to the one that was asked.
    const unbound = isAnswer(message) && (message.id === null || message.id === undefined) && exchange.ids.size === 1;
    if (unbound) {
      exchange.ids.clear();
      this.#write(JSON.stringify({ ...message, id: only }));
      return true;
    }
    for (const id of answeredIds(message)) exchange.ids.delete(id);
    this.#write(text.replaceAll(/[\r\n]+/g, " ").trim());
    return true;
  }

  /**
   * @param {import("node:http").IncomingMessage} response
   * @param {Exchange} exchange
   * @param {boolean} starts
   * @returns {Promise<import("./trouble.mjs").Trouble | undefined>}
   */
  async #carryBack(response, exchange, starts) {
    const status = response.statusCode ?? 0;
    const type = response.headers["content-type"] ?? "";
    const good = status >= 200 && status < 300;
    if (good && type.startsWith("text/event-stream")) {
      exchange.streaming = true;
      for await (const text of readEvents(response)) {
        if (starts) this.#remember(response, text);
        this.#deliver(text, exchange);
      }
      return undefined;
    }
    const body = await readAll(response);
    if (good && starts) this.#remember(response, body);
    const message = parseJson(body);
    const carries = good ? type.includes("json") : isAnswer(message);
    if (carries && this.#deliver(body, exchange)) return undefined;
    if (good && exchange.ids.size === 0) return undefined;
    return httpTrouble({ status, type, body, location: response.headers.location }, this.#place);
  }

  /**
   * @param {import("node:http").IncomingMessage} response
   * @param {string} text
   */
  #remember(response, text) {
    const version = agreedVersion(parseJson(text));
    if (version === undefined) return;
    const id = response.headers["mcp-session-id"];
    this.#session.version = version;
    this.#session.id = typeof id === "string" ? id : undefined;
  }

  /**
   * Nobody waits for the answer any more. Closing its connection is what tells a server that keeps no sessions.
   *
   * @param {Id} id
   * @returns {Exchange | undefined}
   */
  #cancel(id) {
    const exchange = [...this.#open].find(({ ids }) => ids.has(id));
    exchange?.ids.delete(id);
    if (exchange?.ids.size === 0) exchange.abort.abort();
    return exchange;
  }
}

/** @param {AsyncIterable<Buffer>} stream */
async function readAll(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}
