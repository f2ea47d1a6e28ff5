import { createSimulators } from "../../adapters/simulators/index.ts";
import { attesterAccess } from "../../embedded/attester-part.ts";
import { carriersAccess } from "../../embedded/carriers-part.ts";
import type { Embedded } from "../../embedded/start-embedded.ts";
import type { HttpClient } from "../../platform/http-client/http-client.ts";
import type { ChatSimulator } from "../../ports/chat.ts";
import type { Simulators } from "../../ports/simulators.ts";
import type { Vault } from "../../ports/vault.ts";

interface SimulatorParts {
  dataDir: string;
  embedded: Pick<Embedded, "supplier">;
  vault: Pick<Vault, "deriveKey">;
  http: HttpClient;
  chatSimulator: ChatSimulator | undefined;
  startAttester: (() => Promise<string>) | undefined;
}

/** Undefined: there is no sandbox. */
export function openSimulators(parts: SimulatorParts): Simulators | undefined {
  const { dataDir, embedded, vault, http, chatSimulator, startAttester } = parts;
  const { supplier } = embedded;
  if (supplier === undefined) return undefined;
  return createSimulators({
    http,
    places: {
      supplier: { find: () => supplier.url, start: async () => supplier.url },
      attester: {
        find: () => attesterAccess(dataDir)?.url,
        start: startAttester ?? (() => Promise.reject(new Error("there is no attester"))),
      },
      carriers: {
        find: () => carriersAccess(dataDir)?.url,
        start: () => chatSimulator?.url() ?? Promise.reject(new Error("there is no carrier simulator")),
      },
    },
    controlToken: vault.deriveKey("carrier simulator control"),
  });
}
