import { watchMessages } from "./bridge/messages.ts";
import { answerMessages } from "./bridge/routes.ts";
import { openChains } from "./chains.ts";
import { openFaults } from "./faults.ts";
import { startBurns } from "./gateway/burns.ts";
import { answerGateway } from "./gateway/routes.ts";
import { openTransfers } from "./gateway/transfers.ts";
import { refuse } from "./http/answer.ts";
import { listen } from "./http/server.ts";
import type { Settings } from "./settings.ts";
import { openStore } from "./store.ts";

const say = (line: string): void => void process.stderr.write(`${line}\n`);

/** Starts the attester of all development chains, with the HTTP interfaces of the public attestation service and of the Gateway. */
export async function startAttester({ port, folder, faults: mayArm, secrets }: Settings) {
  const nowMilliseconds = Date.now;
  const store = openStore(folder);
  const chains = openChains(secrets);
  const messages = watchMessages({ store, chains, secrets, nowMilliseconds });
  const transfers = openTransfers({ store, chains, secrets });
  const burns = startBurns({ store, chains, secrets, say });
  const faults = mayArm === "on" ? openFaults(store, nowMilliseconds) : undefined;
  const server = await listen(port, {
    faults,
    say,
    async answer(question, fault) {
      const answer =
        (await answerMessages(messages, question, fault?.kind)) ?? (await answerGateway(transfers, question));
      if (question.path === "/v1/transfer") burns.wake();
      return answer ?? refuse(404, "Not found");
    },
  });
  return {
    port: server.port,
    async stop(): Promise<void> {
      await server.close();
      await burns.stop();
      store.close();
    },
  };
}
