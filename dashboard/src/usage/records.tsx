import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import type { ReadUsageAnswer, ReadUsageGroupsAnswer } from "../answers.ts";
import { api } from "../api.ts";
import { sayDuration, toolName, usdc } from "../format.ts";
import { ApiCall } from "../parts/api-call.tsx";
import { More, usePages } from "../parts/pages.tsx";
import { Empty, Panel, Problem, Rows } from "../parts/states.tsx";
import { When } from "../parts/time.tsx";
import { Export } from "./export.tsx";

export function Records() {
  const { tool } = useSearch({ from: "/usage" });
  const path = `/api/usage?limit=50${tool === undefined ? "" : `&tool=${tool}`}`;
  const usage = usePages<ReadUsageAnswer>(["usage", "records", tool ?? ""], path);
  const keys = useQuery({
    queryKey: ["usage", "groups", "key", "90"],
    queryFn: ({ signal }) => api<ReadUsageGroupsAnswer>("/api/usage/groups?by=key&days=90", { signal }),
  });
  const names = new Map(keys.data?.groups.map(({ name, keyName }) => [name, keyName]));
  const records = usage.data?.pages.flatMap((page) => page.records) ?? [];
  return (
    <Panel
      title={tool === undefined ? "Calls" : `Calls of ${toolName(tool)}`}
      aside={
        <span className="buttons">
          {tool !== undefined && (
            <Link to="/usage" search={({ tool: _former, ...others }) => others}>
              Show all tools
            </Link>
          )}
          {records.length > 0 && <Export tool={tool} />}
        </span>
      }
    >
      {usage.isPending && <Rows count={5} />}
      {usage.error !== null && <Problem error={usage.error} retry={() => void usage.refetch()} />}
      {usage.isSuccess && records.length === 0 && <Empty>No call has been made yet.</Empty>}
      {records.length > 0 && (
        <table>
          <thead>
            <tr>
              <th>Tool</th>
              <th className="wide">Key</th>
              <th>When</th>
              <th className="number wide">Took</th>
              <th className="number">USDC</th>
            </tr>
          </thead>
          <tbody>
            {records.map((record) => (
              <tr key={record.id} title={`Trace ${record.traceId}`}>
                <td>{toolName(record.tool)}</td>
                <td className="wide">
                  {record.keyId === null ? "paid by a wallet" : (names.get(record.keyId) ?? record.keyId)}
                  <span className="quiet">, {record.surface}</span>
                </td>
                <td>
                  <When at={record.createdAt} />
                </td>
                <td className="number wide">{sayDuration(record.latencyMs)}</td>
                <td className="number">{usdc(record.priceMicroUsdc)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <More list={usage} />
      <ApiCall calls={[{ method: "GET", path }]} />
    </Panel>
  );
}
