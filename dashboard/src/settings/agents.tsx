import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "../api.ts";
import { member } from "../boot.ts";
import { fromNow, time } from "../format.ts";
import { Ask } from "../parts/ask.tsx";
import { Copy } from "../parts/copy.tsx";
import { Empty, Panel, Problem, Rows } from "../parts/states.tsx";

interface Agent {
  connectionId: string;
  name: string;
  host: string | null;
  personId: string;
  personName: string;
  scopes: readonly string[];
  createdAt: string;
  seenAt: string | null;
  expiresAt: string | null;
}

/** Agents that people have connected by OAuth. */
export function Agents() {
  const agents = useQuery({
    queryKey: ["agents"],
    queryFn: () => api<{ agents: readonly Agent[] }>("/api/connected-agents"),
  });
  const all = agents.data?.agents ?? [];
  return (
    <>
      <h1>Connected agents</h1>
      <Panel title={`Agents that act for people of ${member.tenantName}, ${member.environment}`}>
        {agents.isPending && <Rows count={3} />}
        {agents.error !== null && <Problem error={agents.error} retry={() => void agents.refetch()} />}
        {agents.isSuccess && all.length === 0 && (
          <Empty>
            No agent is connected. Enter the address below in a program that speaks MCP, and it asks you here.
          </Empty>
        )}
        <ul className="list keys">
          {all.map((agent) => (
            <Row key={agent.connectionId} of={agent} />
          ))}
        </ul>
      </Panel>
      <Panel title="Connect an agent">
        <p>
          A program that speaks MCP needs this address only. It opens a page on which you choose what it may do. There
          is no key to copy.
        </p>
        <Copy text={`${location.origin}/api/mcp`} label="the address" />
        <p>
          <a href="/docs/connect-by-oauth">How programs are connected</a>
        </p>
      </Panel>
    </>
  );
}

function Row({ of: agent }: { of: Agent }) {
  const queries = useQueryClient();
  const { connectionId, name, host, personId, personName, scopes, createdAt, seenAt, expiresAt } = agent;
  const end = useMutation({
    mutationFn: () => api(`/api/connected-agents/${connectionId}`, { method: "DELETE" }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["agents"] }),
  });
  return (
    <li>
      <span>
        <strong>{name}</strong> <span className="quiet">{host ?? "name not verified"}</span>
        <br />
        <span className="quiet">
          for {personId === member.personId ? "you" : personName}: {scopes.join(", ") || "nothing any more"}
        </span>
      </span>
      <span className="quiet" title={`connected ${time(createdAt)}`}>
        {seenAt === null ? "never seen" : `seen ${fromNow(seenAt)}`}
        <br />
        {expiresAt === null ? "" : `ends ${time(expiresAt)}`}
      </span>
      <span className="buttons">
        <Ask
          button="Disconnect"
          title={`Disconnect ${name}?`}
          says="It is refused from now on. To connect it again, a person allows it again."
          yes="Disconnect it"
          error={end.error}
          run={() => end.mutateAsync()}
        />
      </span>
    </li>
  );
}
