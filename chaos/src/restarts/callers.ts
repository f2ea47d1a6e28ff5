import { Agent, request } from "node:http";
import { setTimeout as delay } from "node:timers/promises";

const CALLERS = 8;
/** The shown length of a failed answer. */
const SHOWN_CHARACTERS = 200;

/** Callers that call one after the other over connections that they keep, never send a call twice, and count each that fails. */
export class Callers {
  readonly failures = new Map<string, number>();
  readonly #url: string;
  readonly #access: { tenantId: string; apiKey: string };
  readonly #agent = new Agent({ keepAlive: true, maxSockets: CALLERS });
  #answered = 0;
  #isStopping = false;
  #running: Promise<unknown> = Promise.resolve();

  constructor(url: string, access: { tenantId: string; apiKey: string }) {
    this.#url = url;
    this.#access = access;
  }

  /** Failed ones included. */
  get answered(): number {
    return this.#answered;
  }

  start(): void {
    this.#running = Promise.all(Array.from({ length: CALLERS }, () => this.#call()));
  }

  async untilAnswered(count: number): Promise<void> {
    while (this.#answered < count) await delay(5);
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#running;
    this.#agent.destroy();
  }

  async #call(): Promise<void> {
    while (!this.#isStopping) {
      const failure = await this.#send();
      this.#answered += 1;
      if (failure !== undefined) this.failures.set(failure, (this.failures.get(failure) ?? 0) + 1);
    }
  }

  /** Undefined: it was answered with its result. */
  #send(): Promise<string | undefined> {
    const { tenantId, apiKey } = this.#access;
    const args = { latitude: 52.5, longitude: 13.4 };
    const body = JSON.stringify({ tenantId, tool: "timezone_brief", args });
    const headers = {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      authorization: `Bearer ${apiKey}`,
    };
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    const sent = request(
      `${this.#url}/api/agent/dispatch`,
      { method: "POST", agent: this.#agent, headers },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (piece: string) => {
          text += piece;
        });
        response.once("end", () =>
          resolve(
            response.statusCode === 200 ? undefined : `${response.statusCode} ${text.slice(0, SHOWN_CHARACTERS)}`,
          ),
        );
        response.once("error", (error) => resolve(error.message));
      },
    );
    sent.once("error", (error) => resolve(error.message));
    sent.end(body);
    return promise;
  }
}
