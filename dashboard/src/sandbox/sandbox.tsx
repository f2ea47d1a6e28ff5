import { useQuery } from "@tanstack/react-query";
import type { ReadSandboxAnswer } from "../answers.ts";
import { api } from "../api.ts";
import { member } from "../boot.ts";
import { ApiCall } from "../parts/api-call.tsx";
import { Empty, Problem, Rows } from "../parts/states.tsx";
import { Airlines } from "./airlines.tsx";
import { Books } from "./books.tsx";
import { Carriers } from "./carriers.tsx";
import { Clock } from "./clock.tsx";
import { Faucet } from "./faucet.tsx";
import { Faults } from "./faults.tsx";
import { MoneyBooks } from "./money-books.tsx";

/** The simulators behind the sandbox: what they do wrong on purpose, and what they have in their books. */
export function Sandbox() {
  return (
    <>
      <h1>Sandbox</h1>
      {member.environment === "sandbox" ? (
        <Simulators />
      ) : (
        <Empty>Only the sandbox has simulators, and this is production. Switch to the sandbox to use them.</Empty>
      )}
    </>
  );
}

function Simulators() {
  const sandbox = useQuery({
    queryKey: ["sandbox"],
    queryFn: ({ signal }) => api<ReadSandboxAnswer>("/api/sandbox", { signal }),
    refetchInterval: 15_000,
  });
  return (
    <>
      <p className="sentence">
        Make the simulators misbehave, and see what happens to your agents. What you arm meets only requests of{" "}
        {member.tenantName}. What other tenants of this deployment can notice says so.
      </p>
      {sandbox.isPending && <Rows count={6} />}
      {sandbox.error !== null && <Problem error={sandbox.error} retry={() => void sandbox.refetch()} />}
      {sandbox.data !== undefined && (
        <div className="columns">
          <div>
            <Faults faults={sandbox.data.faults} canArm={sandbox.data.canArm} />
            <Airlines />
          </div>
          <div>
            <Clock clock={sandbox.data.clock} />
            <Faucet />
            <Carriers />
          </div>
        </div>
      )}
      <Books />
      <MoneyBooks />
      <ApiCall calls={[{ method: "GET", path: "/api/sandbox" }]} />
    </>
  );
}
