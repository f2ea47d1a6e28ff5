import type { HttpClient } from "../../platform/http-client/http-client.ts";
import { ChatFailure, type ChatSimulator } from "../../ports/chat.ts";

const TIMEOUT_MILLISECONDS = 10_000;

interface SimulatorOptions {
  http: Pick<HttpClient, "send">;
  start(): Promise<string>;
  controlToken: string;
}

export function createChatSimulator({ http, start, controlToken }: SimulatorOptions): ChatSimulator {
  const url = () =>
    start().catch((cause: unknown) => {
      throw new ChatFailure("not_done", "the carrier simulator does not start", { cause });
    });
  return {
    url,
    async setUp({ id, ...playground }) {
      const base = await url();
      const { status } = await http
        .send({
          method: "PUT",
          url: `${base}/_carriers/control/playgrounds/${id}`,
          headers: { authorization: `Bearer ${controlToken}` },
          json: playground,
          timeoutMilliseconds: TIMEOUT_MILLISECONDS,
        })
        .catch((cause: unknown) => {
          throw new ChatFailure("not_done", "the carrier simulator does not answer", { cause });
        });
      if (status !== 200) throw new ChatFailure("refused", `the carrier simulator answered ${status}`);
    },
  };
}
